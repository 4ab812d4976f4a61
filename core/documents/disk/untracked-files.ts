import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { type UntrackedFolder, untrackedFolders, untrackedProblem } from '../model/untracked-folders.ts'

/** So many folders are remembered for each project. */
const maxFolders = 10_000
/** So many folders are told of in the log. */
const maxTold = 200

/** Markdown files that count nowhere, as of the last look: by project, folder and name. */
export class UntrackedFiles {
  private readonly onProblem: DocumentsDeps['onProblem']
  /** By project's id; then by folder within it. */
  private readonly found = new Map<string, Map<string, string[]>>()
  private readonly told = new Set<string>()

  constructor({ onProblem }: Pick<DocumentsDeps, 'onProblem'>) {
    this.onProblem = onProblem
  }

  /** Says all that lies in a folder itself, in the place of what was known of it. @param folder within the project */
  replace({ id }: Project, folder: string, names: string[]): void {
    const folders = this.found.get(id) ?? new Map<string, string[]>()
    if (names.length === 0) folders.delete(folder)
    else if (folders.has(folder) || folders.size < maxFolders) folders.set(folder, names)
    if (folders.size > 0) this.found.set(id, folders)
    else this.found.delete(id)
  }

  /** Forgets the folders at or below one that are not among those that were visited. Both are given from the home. */
  retain({ id, folder: own }: Project, top: string, visited: ReadonlySet<string>): void {
    const folders = this.found.get(id)
    for (const folder of folders?.keys() ?? []) {
      const path = folder === '' ? `projects/${own}` : `projects/${own}/${folder}`
      if ((path === top || path.startsWith(`${top}/`)) && !visited.has(path)) folders!.delete(folder)
    }
  }

  inProject({ id }: Project): UntrackedFolder[] {
    return untrackedFolders(this.found.get(id) ?? new Map())
  }

  /** Tells the operator of each folder, once. */
  report(project: Project): void {
    if (!this.found.has(project.id)) return
    for (const stray of this.inProject(project)) {
      const path = `projects/${project.folder}/${stray.folder}`.replace(/\/$/, '')
      if (this.told.has(path) || this.told.size === maxTold) continue
      this.told.add(path)
      this.onProblem(`${path} ${untrackedProblem(stray)}. ${stray.remedy}`)
    }
  }
}
