import { failureReason } from '../../../data/failures.ts'
import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import { Signal } from '../../../data/signal.ts'
import { isIgnoredName, type Tree } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import { isProjectId, markerName, writeMarker } from '../../projects/project-folders.ts'
import type { DocumentsDeps } from '../deps/deps.ts'

/** A folder without its project's marker never means that documents were deleted: a disk may be unmounted. */
export class ProjectRoots {
  private readonly problems = new Map<string, string>()
  /** Projects whose folders exist, with pending writes that could not be placed. */
  private readonly unfinished = new Set<string>()
  /** By project id. Each must succeed before the folder is accepted as the project's. */
  private readonly repairs = new Map<string, () => void>()
  private readonly returned = new Signal<Project>()

  constructor(private readonly deps: DocumentsDeps) {}

  /** Called before a returned folder is ingested. If `listener` throws, the next check tries again. */
  onReturn(listener: (project: Project) => void): void {
    this.returned.listen(listener)
  }

  projectIn(folder: string): Project | null {
    return this.deps.projects.all().find((project) => project.folder === folder) ?? null
  }

  /** As of the last check; null if the project can be used. */
  problemOf(project: Project): string | null {
    if (project.deletedMs !== null) return deletedReason
    return this.problems.get(project.id) ?? null
  }

  /** Whether only pending writes are missing, so that committed documents can be read. */
  isUnfinished(project: Project): boolean {
    return this.unfinished.has(project.id)
  }

  /** @param repair tried first by each check; throws if it fails again */
  markUnfinished(project: Project, reason: string, repair?: () => void): void {
    this.problems.set(project.id, unfinishedReason(reason))
    this.unfinished.add(project.id)
    if (repair) this.repairs.set(project.id, repair)
  }

  check(project: Project): string | null {
    if (project.deletedMs !== null) return deletedReason
    const repairProblem = this.runRepair(project)
    const folderProblem = repairProblem === null ? this.checkFolder(project) : null
    const problem = repairProblem ?? folderProblem ?? this.emitReturn(project)
    if (problem) this.problems.set(project.id, problem)
    else this.problems.delete(project.id)
    if (problem && !folderProblem) this.unfinished.add(project.id)
    else this.unfinished.delete(project.id)
    return problem
  }

  /** Follows renamed folders, and creates projects for new ones with markdown. @returns the new projects */
  async discover(): Promise<Project[]> {
    const { tree, projects } = this.deps
    const entries = tree.list('projects') ?? []
    const adopted: Project[] = []
    const slice = new TimeSlice()
    for (const { name, stat } of entries) {
      while (slice.isOver) await slice.pause()
      if (stat.kind !== 'skipped' || stat.reason !== 'folder' || isIgnoredName(name) || this.projectIn(name))
        continue
      const marked = projects.find(this.markerIn(name) ?? '')
      // Its move to the trash or back is not finished, or somebody has copied it from there.
      if (marked && marked.deletedMs !== null && marked.deletedFolder !== null) continue
      if (marked && this.checkFolder(marked) !== null) await projects.setFolder(marked, name)
      else if (this.idIn(name) !== null || containsMarkdown(tree, `projects/${name}`))
        adopted.push(await this.adopt(name))
    }
    for (const project of projects.all()) {
      while (slice.isOver) await slice.pause()
      this.check(project)
    }
    return adopted
  }

  private async adopt(folder: string): Promise<Project> {
    const { tree, projects, diskMember } = this.deps
    const stat = tree.stat(`projects/${folder}`)
    const leadId = diskMember(stat.kind === 'file' ? stat.stamp.uid : -1)
    const id = this.idIn(folder)
    const project = await projects.adoptFolder(folder, leadId, id)
    if (project.id === id) return project
    writeMarker(tree, project)
    await tree.flush(`projects/${folder}/${markerName}`)
    return project
  }

  private runRepair({ id }: Project): string | null {
    const problem = failureOf(() => this.repairs.get(id)?.())
    if (problem === null) this.repairs.delete(id)
    return problem
  }

  private emitReturn(project: Project): string | null {
    return this.problems.has(project.id) ? failureOf(() => this.returned.emit(project)) : null
  }

  private checkFolder(project: Project): string | null {
    const folder = `projects/${project.folder}`
    const stat = this.deps.tree.stat(folder)
    if (stat.kind === 'missing')
      return `its folder ${folder} is missing; restore it, or mount the disk that it is on`
    if (this.deps.tree.entries(folder) === null)
      return `its folder ${folder} cannot be read; check its permissions`
    const marker = this.markerIn(project.folder)
    if (marker === project.id) return null
    return `its folder ${folder} has no marker, the file ${markerName} with the line ${project.id}; mount its disk, or write that file`
  }

  /** The marker's id if no project has it, as after the loss of the database. */
  private idIn(folder: string): string | null {
    const id = this.markerIn(folder)
    return id !== null && isProjectId(id) && this.deps.projects.find(id) === null ? id : null
  }

  private markerIn(folder: string): string | null {
    return this.deps.tree.read(`projects/${folder}/${markerName}`)?.bytes.toString().trim() ?? null
  }
}

/** Returns null if it succeeds. @throws errors that are neither of the disk nor of the database */
function failureOf(action: () => void): string | null {
  try {
    action()
    return null
  } catch (error) {
    const reason = failureReason(error)
    if (reason === null) throw error
    return unfinishedReason(reason)
  }
}

const deletedReason = 'it was deleted; an owner or admin can restore it from the trash'

const unfinishedReason = (reason: string) => `the last write could not be placed, because ${reason}`

/** @param folder path in the home @param depth levels above it that were searched */
export function containsMarkdown(tree: Tree, folder: string, depth = 0): boolean {
  const entries = tree.list(folder) ?? []
  return entries.some(({ name, stat }) => {
    if (isIgnoredName(name)) return false
    if (stat.kind === 'file') return /\.md$/i.test(name)
    return (
      stat.kind === 'skipped' &&
      stat.reason === 'folder' &&
      depth < 3 &&
      containsMarkdown(tree, `${folder}/${name}`, depth + 1)
    )
  })
}
