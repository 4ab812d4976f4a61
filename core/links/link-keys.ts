import { posix } from 'node:path'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { LinkKey } from '../../data/tables/links.ts'
import { nameKey } from '../../data/tree/index.ts'
import { titleKey } from '../documents/catalogue/catalogue.ts'
import { filenameOf } from '../documents/model/document-paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Reference } from './reference.ts'

export type LinkSource = Pick<DocumentRecord, 'projectId' | 'path'>

/** Returns `''` if the target cannot resolve. */
export function linkKey({ kind, target }: Reference, source: LinkSource, projects: ProjectStore): string {
  if (kind === 'title') return titleKey(target)
  if (kind !== 'path') return target
  const location = targetPath(target, source, projects)
  return location === null ? '' : pathKey(location)
}

export function documentKeys(record: DocumentRecord): LinkKey[] {
  const { id, kind, number, projectId, path } = record
  const keys: LinkKey[] = [
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

/** The keys by which a document may refer to another: numbers and titles are resolved in the document's project. */
export const keysFor = (
  source: Pick<LinkSource, 'projectId'>,
  target: Pick<LinkSource, 'projectId'>,
  keys: readonly LinkKey[],
): readonly LinkKey[] =>
  source.projectId === target.projectId ? keys : keys.filter(({ kind }) => kind === 'id' || kind === 'path')

const pathKey = ({ projectId, path }: LinkSource): string => {
  const card = cardNumberIn(path)
  return card === null ? `${projectId} ${nameKey(path)}` : cardPathKey(projectId, card)
}

/** Independent of the card's column and title. */
const cardPathKey = (projectId: string, number: string) => `${projectId} #${number}`

export const cardNumberIn = (path: string): string | null =>
  /^board\/[^/]+\/0*(\d{1,9})-[^/]*\.md$/i.exec(path)?.[1] ?? null

/** Relative paths start at the link's document. Null outside of the document folders. */
export function targetPath(target: string, source: LinkSource, projects: ProjectStore): LinkSource | null {
  const [, slug, projectPath] = /^\/v1\/fs\/projects\/([^/]+)\/(.+)$/.exec(target) ?? []
  if (slug === undefined && target.startsWith('/')) return null
  const projectId = slug === undefined ? source.projectId : projects.find(slug)?.id
  const path = projectPath ?? posix.join(posix.dirname(source.path), target)
  if (projectId === undefined || path.startsWith('../')) return null
  return { projectId, path: path.replace(/^(?:docs|library\/documents)\//, 'documents/') }
}
