import { posix } from 'node:path'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { LinkRow } from '../../data/tables/links.ts'
import { nameKey } from '../../data/tree/index.ts'
import { titleKey } from '../documents/catalogue/catalogue.ts'
import { filenameOf } from '../documents/model/document-paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Reference } from './reference.ts'

type Key = Pick<LinkRow, 'kind' | 'key'>

/** Where a link stands. */
export type LinkSource = Pick<DocumentRecord, 'projectId' | 'path'>

/** What the target of a link goes by, as the table keeps it; `''` where it can be nothing. */
export function linkKey({ kind, target }: Reference, source: LinkSource, projects: ProjectStore): string {
  if (kind === 'title') return titleKey(target)
  if (kind !== 'path') return target
  const place = targetPath(target, source, projects)
  return place === null ? '' : pathKey(place)
}

/** All that a document goes by, whether a title or a name means it or another one of the same. */
export function documentKeys(record: DocumentRecord): Key[] {
  const { id, kind, number, projectId, path } = record
  const keys: Key[] = [
    { kind: 'id', key: id },
    { kind: 'path', key: pathKey({ projectId, path }) },
    { kind: 'title', key: titleKey(record.title) },
  ]
  if (kind === 'document')
    keys.push({ kind: 'title', key: titleKey(filenameOf(record).replace(/\.md$/i, '')) })
  if (kind !== 'card') return keys
  const card = String(number)
  return [...keys, { kind: 'card', key: card }, { kind: 'path', key: cardPathKey(projectId, card) }]
}

const pathKey = ({ projectId, path }: LinkSource): string => {
  const card = cardNumberIn(path)
  return card === null ? `${projectId} ${nameKey(path)}` : cardPathKey(projectId, card)
}

/** A card goes by its number in whatever column it stands, and with whatever title. */
const cardPathKey = (projectId: string, number: string) => `${projectId} #${number}`

/** The number in the name of a card's file; null where there is none. */
export const cardNumberIn = (path: string): string | null =>
  /^board\/[^/]+\/0*(\d{1,9})-[^/]*\.md$/i.exec(path)?.[1] ?? null

/**
 * The place on the disk that a path leads to, from where a link stands or from the root of the tree. What the tree calls
 * `docs` or `library/documents` is the folder `documents`. Null where the path leads out of what holds documents.
 */
export function targetPath(target: string, source: LinkSource, projects: ProjectStore): LinkSource | null {
  const [, slug, below] = /^\/v1\/fs\/projects\/([^/]+)\/(.+)$/.exec(target) ?? []
  if (slug === undefined && target.startsWith('/')) return null
  const projectId = slug === undefined ? source.projectId : projects.find(slug)?.id
  const path = below ?? posix.join(posix.dirname(source.path), target)
  if (projectId === undefined || path.startsWith('../')) return null
  return { projectId, path: path.replace(/^(?:docs|library\/documents)\//, 'documents/') }
}
