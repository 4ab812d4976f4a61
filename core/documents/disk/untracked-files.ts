import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { type UntrackedFolder, untrackedFolders, untrackedProblem } from '../model/untracked-folders.ts'

const maxFolders = 10_000
const maxReported = 200

export class UntrackedFiles {
  private readonly found = new Map<string, Map<string, string[]>>()
  private readonly reported = new Set<string>()

  constructor(private readonly onProblem: DocumentsDeps['onProblem']) {}

  replace({ id }: Project, folder: string, names: string[]): void {
    const folders = this.found.get(id) ?? new Map<string, string[]>()
    if (names.length === 0) folders.delete(folder)
    else if (folders.has(folder) || folders.size < maxFolders) folders.set(folder, names)
    if (folders.size > 0) this.found.set(id, folders)
    else this.found.delete(id)
  }

  /** `top` and `visited` are paths in the home. */
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

  report(project: Project): void {
    if (!this.found.has(project.id)) return
    for (const untracked of this.inProject(project)) {
      const path = `projects/${project.folder}/${untracked.folder}`.replace(/\/$/, '')
      if (this.reported.has(path) || this.reported.size === maxReported) continue
      this.reported.add(path)
      this.onProblem(`${path} ${untrackedProblem(untracked)}. ${untracked.remedy}`)
    }
  }
}
