import { posix } from 'node:path'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { LinkRow } from '../../data/tables/links.ts'
import { nameKey } from '../../data/tree/index.ts'
import { titleKey } from '../documents/catalogue/catalogue.ts'
import { filenameOf } from '../documents/model/document-paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Reference } from './reference.ts'

type Key = Pick<LinkRow, 'kind' | 'key'>

export type LinkSource = Pick<DocumentRecord, 'projectId' | 'path'>

/** The key of a link's target in the table; `''` if it cannot resolve. */
export function linkKey({ kind, target }: Reference, source: LinkSource, projects: ProjectStore): string {
  if (kind === 'title') return titleKey(target)
  if (kind !== 'path') return target
  const place = targetPath(target, source, projects)
  return place === null ? '' : pathKey(place)
}

/** All keys of a document, whether or not another document has one of them too. */
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

/** A card's key does not depend on its column or title. */
const cardPathKey = (projectId: string, number: string) => `${projectId} #${number}`

/** Null if the name of the card's file has none. */
export const cardNumberIn = (path: string): string | null =>
  /^board\/[^/]+\/0*(\d{1,9})-[^/]*\.md$/i.exec(path)?.[1] ?? null

/**
 * The path on the disk to which a path leads, from the link's document or from the root of the tree. `docs` and
 * `library/documents` are the folder `documents`. Null outside of the document folders.
 */
export function targetPath(target: string, source: LinkSource, projects: ProjectStore): LinkSource | null {
  const [, slug, below] = /^\/v1\/fs\/projects\/([^/]+)\/(.+)$/.exec(target) ?? []
  if (slug === undefined && target.startsWith('/')) return null
  const projectId = slug === undefined ? source.projectId : projects.find(slug)?.id
  const path = below ?? posix.join(posix.dirname(source.path), target)
  if (projectId === undefined || path.startsWith('../')) return null
  return { projectId, path: path.replace(/^(?:docs|library\/documents)\//, 'documents/') }
}
