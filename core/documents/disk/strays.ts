import { nameKey } from '../../../data/tree/index.ts'
import type { Project } from '../../projects/types.ts'
import type { Parts } from '../parts.ts'
import { strayRemedy } from '../stray-remedy.ts'

/** A folder that holds markdown which is no document. */
export interface StrayFolder {
  /** Within the project; `''` is its own folder. */
  folder: string
  /** How many such files lie in it; of a folder that we know nothing of also those below it. */
  count: number
  /** The name of one of them, within the folder. */
  example: string
  /** What to do, as a sentence. */
  remedy: string
}

/** So many folders are remembered for each project. */
const maxFolders = 10_000
/** So many folders are told of in the log. */
const maxTold = 200

/** Markdown files that count nowhere, as of the last look: by project, folder and name. */
export class Strays {
  private readonly onProblem: Parts['onProblem']
  /** By project's id; then by folder within it. */
  private readonly found = new Map<string, Map<string, string[]>>()
  private readonly told = new Set<string>()

  constructor({ onProblem }: Pick<Parts, 'onProblem'>) {
    this.onProblem = onProblem
  }

  /** Says all that lies in a folder itself, in the place of what was known of it. @param folder within the project */
  replace({ id }: Project, folder: string, names: string[]): void {
    const folders = this.found.get(id) ?? new Map<string, string[]>()
    const isOurs = nameKey(folder.split('/')[0]!) === 'skills'
    if (names.length === 0 || isOurs) folders.delete(folder)
    else if (folders.has(folder) || folders.size < maxFolders) folders.set(folder, names)
    if (folders.size > 0) this.found.set(id, folders)
    else this.found.delete(id)
  }

  /** Forgets the folders at or below one that are not among those that were visited. Both are given from the home. */
  keepAmong({ id, folder: own }: Project, top: string, visited: ReadonlySet<string>): void {
    const folders = this.found.get(id)
    for (const folder of folders?.keys() ?? []) {
      const path = folder === '' ? `projects/${own}` : `projects/${own}/${folder}`
      if ((path === top || path.startsWith(`${top}/`)) && !visited.has(path)) folders!.delete(folder)
    }
  }

  of({ id }: Project): StrayFolder[] {
    const groups = new Map<string, { count: number; example: string }>()
    for (const [folder, names] of this.found.get(id) ?? []) {
      const group = groupOf(folder)
      const known = groups.get(group)
      const example = `${folder.slice(group.length + 1)}/${names[0]}`.replace(/^\//, '')
      groups.set(group, { count: (known?.count ?? 0) + names.length, example: known?.example ?? example })
    }
    return [...groups]
      .map(([folder, { count, example }]) => ({ folder, count, example, remedy: strayRemedy(folder) }))
      .sort((one, other) => (one.folder < other.folder ? -1 : 1))
  }

  /** Tells the operator of each folder, once. */
  tell(project: Project): void {
    if (!this.found.has(project.id)) return
    for (const { folder, count, example, remedy } of this.of(project)) {
      const path = folder === '' ? `projects/${project.folder}` : `projects/${project.folder}/${folder}`
      if (this.told.has(path) || this.told.size === maxTold) continue
      this.told.add(path)
      const files = count === 1 ? 'a markdown file that counts' : `${count} markdown files that count`
      this.onProblem(`${path} holds ${files} nowhere, such as ${example}. ${remedy}`)
    }
  }
}

/** Folders that we know nothing of are told of by the uppermost of them. */
function groupOf(folder: string): string {
  const top = folder.split('/')[0]!
  return ['posts', 'drafts', 'board'].includes(nameKey(top)) ? folder : top
}
