import { conflictOf, isIgnoredName, nameKey } from '../../../data/tree/index.ts'
import { columns } from './columns.ts'
import { isInFilesFolder, isMarkdown, parseDocumentPath } from './document-paths.ts'

export interface UntrackedFolder {
  /** Path in the project; `''` for the project's own folder. */
  folder: string
  count: number
  /** Path in the folder; null if the name is private. */
  example: string | null
  remedy: string
}

/** @param path within the project */
export const isInSkillsFolder = (path: string): boolean => nameKey(path.split('/', 1)[0]!) === 'skills'

export function isUntracked(path: string): boolean {
  const names = path.split('/')
  const name = names.at(-1)!
  if (!isMarkdown(name) || parseDocumentPath(path) !== null || conflictOf(name) !== null) return false
  const isManaged = isInFilesFolder(`projects/x/${path}`) || (names.length > 1 && isInSkillsFolder(path))
  return !isManaged && !names.some(isIgnoredName)
}

/** @param found file names by folder within the project */
export function untrackedFolders(found: ReadonlyMap<string, readonly string[]>): UntrackedFolder[] {
  const groups = new Map<string, { count: number; example: string }>()
  for (const [folder, names] of found) {
    const group = groupOf(folder)
    const below = folder.slice(group.length).replace(/^\//, '')
    const example = below === '' ? names[0]! : `${below}/${names[0]}`
    const entry = groups.get(group)
    groups.set(group, { count: (entry?.count ?? 0) + names.length, example: entry?.example ?? example })
  }
  return [...groups]
    .map(([folder, { count, example }]) => ({ folder, count, example, remedy: remedyFor(folder) }))
    .sort((one, other) => (one.folder < other.folder ? -1 : 1))
}

/** Completes a message that begins with the folder's name. */
export function untrackedProblem({ count, example }: Pick<UntrackedFolder, 'count' | 'example'>): string {
  const files =
    count === 1 ? 'a markdown file that is not a document' : `${count} markdown files that are not documents`
  if (example === null) return `holds ${files}`
  return `holds ${files}${count === 1 ? ':' : ', such as'} ${example}`
}

/** Members may not see the names of others' drafts. */
export const untrackedDraftsSummary = (count: number): UntrackedFolder => ({
  folder: 'drafts',
  count,
  example: null,
  remedy: remedyFor('drafts'),
})

/** A non-standard folder is reported once, at its top. */
function groupOf(folder: string): string {
  const top = folder.split('/')[0]!
  return ['posts', 'drafts', 'board'].includes(nameKey(top)) ? folder : top
}

function remedyFor(folder: string): string {
  const [top, second, ...deeper] = folder.split('/')
  switch (nameKey(top!)) {
    case 'posts':
      return 'Posts belong directly in posts/: move it there, or into documents/.'
    case 'drafts':
      return deeper.length > 0
        ? `Drafts belong directly in their author's folder: move it into drafts/${second}/.`
        : "Drafts belong in their author's folder: move it into drafts/<name>/, with the name of a member."
    case 'board':
      return deeper.length > 0
        ? `Cards belong directly in their column: move it into board/${second}/.`
        : `Cards belong in the columns ${columns.map(({ name }) => name).join(', ')}: move it into one of them.`
    default:
      return 'Move it into documents/, where it becomes a document.'
  }
}
