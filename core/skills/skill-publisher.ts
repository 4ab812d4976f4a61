import type { Database } from '../../data/database.ts'
import type { SkillVersionsTable } from '../../data/tables/skill-versions.ts'
import type { SkillRow, SkillsTable } from '../../data/tables/skills.ts'
import { illegalNameReason, isIgnoredName, type Tree } from '../../data/tree/index.ts'
import { pathOfStaged, type StagedFolder, type StagedFolders } from '../../data/tree/staged-folders.ts'
import type { Project } from '../access/project.ts'
import { Locks } from '../concurrency/name-locks.ts'
import { commitOrUnavailable, readUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Clock } from '../time/clock.ts'
import { type FileSnapshot, haveSameBytes, takeSnapshot } from './file-snapshot.ts'
import type { SkillPublishEvent } from './publish-event.ts'
import { type SkillFiles, unpack } from './skill-files.ts'
import { descriptionIn, manifestName } from './skill-manifest.ts'

export interface SkillsDeps extends PublishingDeps {
  publisher: SkillPublisher
}

export interface PublishingDeps {
  clock: Clock
  diskNow: () => number
  database: Database
  projects: ProjectStore
  skills: SkillsTable
  versions: SkillVersionsTable
  tree: Tree
  folders: StagedFolders
  events: {
    append(event: SkillPublishEvent): number
    remove(tick: number): void
  }
  /** @throws WorkspaceError `unavailable` if the project's folder cannot be used */
  requireMounted: (project: Project) => void
  onProblem: (message: string, error?: unknown) => void
}

const skillsPath = (project: Pick<Project, 'folder'>): string => `projects/${project.folder}/skills`

export const skillPath = (project: Pick<Project, 'folder'>, name: string): string =>
  `${skillsPath(project)}/${name}`

const maxFolders = 1000

export interface StagedVersion {
  staged: StagedFolder
  seen: FileSnapshot
}

/** Publishes versions of skills to the disk, and ingests edits made there. */
export class SkillPublisher {
  private readonly locks = new Locks()

  constructor(private readonly deps: PublishingDeps) {}

  /** Places a pending version before it runs `work`. */
  withLock<T>(project: Project, name: string, work: () => Promise<T>): Promise<T> {
    return this.locks.run([`${project.id} ${name}`], async () => {
      const row = this.deps.skills.find(project.id, name)
      if (row && !row.isPlaced) await this.recoverSkill(row)
      return work()
    })
  }

  /** Turns edits made by hand into a version, so that no publication replaces unseen work. */
  async reconcile(project: Project, name: string): Promise<SkillRow | undefined> {
    if (illegalNameReason(name) !== null || isIgnoredName(name)) return undefined
    const isPlaced = this.deps.skills.find(project.id, name)?.isPlaced ?? true
    return isPlaced
      ? this.reconcileLocked(project, name)
      : this.withLock(project, name, () => this.reconcileLocked(project, name))
  }

  async reconcileLocked(project: Project, name: string): Promise<SkillRow | undefined> {
    const { clock, database, diskNow, events, requireMounted, skills, versions, tree } = this.deps
    const row = skills.find(project.id, name)
    if (row && !row.isPlaced) return row
    const before: FileSnapshot = row ? JSON.parse(row.seen) : {}
    const current = await this.mapReadErrors(takeSnapshot(tree, skillPath(project, name), before, diskNow()))
    if (row ? current === before : !Object.hasOwn(current, manifestName)) return row
    if (row && haveSameBytes(before, current)) {
      database.commitLater(() => skills.setSeen(row, JSON.stringify(current)))
      return row
    }
    const description = this.descriptionAt(`${skillPath(project, name)}/${manifestName}`)
    // An unmounted disk is no deletion.
    requireMounted(project)
    await commitOrUnavailable(database, () => {
      const present = skills.find(project.id, name)
      // A publication came in between, and may be incomplete.
      if (present?.version !== row?.version || present?.isPlaced === false) return
      const version = (present?.version ?? 0) + 1
      skills.put({
        projectId: project.id,
        name,
        version,
        draftRevision: present?.draftRevision ?? 0,
        draft: present?.draft ?? null,
        description,
        seen: JSON.stringify(current),
        isPlaced: true,
        changedMs: clock.now(),
      })
      versions.insert({
        projectId: project.id,
        name,
        version,
        atMs: clock.now(),
        authorId: null,
        files: null,
      })
      const isPublished = Object.hasOwn(current, manifestName)
      events.append({
        type: 'skill.publish',
        projectId: project.id,
        actorId: null,
        detail: { name, version, isPublished },
      })
    })
    return skills.find(project.id, name)
  }

  /** Includes new folders. A skill that cannot be read stays as it is. */
  async reconcileAll(project: Project): Promise<void> {
    const { skills, tree } = this.deps
    const names = new Set(skills.all(project.id).map(({ name }) => name))
    for (const { name, stat } of tree.list(skillsPath(project)) ?? []) {
      if (stat.kind === 'skipped' && stat.reason === 'folder' && names.size < maxFolders) names.add(name)
    }
    for (const name of names) {
      await this.reconcile(project, name).catch((error) => {
        if (!(error instanceof WorkspaceError && error.code === 'unavailable')) throw error
      })
    }
  }

  async prepare(files: SkillFiles): Promise<StagedVersion> {
    const { diskNow, folders, tree } = this.deps
    const bytes = new Map([...files].map(([path, text]) => [path, Buffer.from(text)]))
    const staged = await folders.stage(bytes)
    return { staged, seen: await takeSnapshot(tree, pathOfStaged(staged), {}, diskNow()) }
  }

  discard({ staged }: StagedVersion): Promise<void> {
    return this.deps.folders.discard(staged)
  }

  /**
   * Places a committed version in the turn of its commit, and moves the previous files to the trash. The
   * returned work may fail, and is repeated later.
   */
  place(row: SkillRow, before: SkillRow, { staged }: StagedVersion): () => Promise<void> {
    const { folders, projects, requireMounted, versions } = this.deps
    // The folder may have been renamed.
    const project = projects.find(row.projectId)!
    requireMounted(project)
    const path = skillPath(project, row.name)
    const trashPath = trashPathOf(project, row, staged)
    const isDisplaced = folders.place(staged, path, trashPath)
    // A version made by hand exists nowhere else.
    const isByHand = before.version > 0 && !versions.find(project.id, row.name, before.version)?.files
    return async () => {
      if (isDisplaced && !isByHand) await this.removeUnlessEdited(trashPath, before)
      await folders.flush(path)
      await this.recordPlaced(row, row.seen)
    }
  }

  /** Called at a start. Removes what a crash left, and places committed versions. */
  async recover(): Promise<void> {
    const { folders, projects, skills } = this.deps
    await folders.clear()
    for (const { projectId, name } of skills.unplaced())
      await this.withLock(projects.find(projectId)!, name, async () => {})
  }

  /** After a failure the next request for the skill tries again. */
  private async recoverSkill(row: SkillRow): Promise<void> {
    const { diskNow, onProblem, projects, requireMounted, tree } = this.deps
    const project = projects.find(row.projectId)!
    try {
      requireMounted(project)
      const seen: FileSnapshot = JSON.parse(row.seen)
      const current = await takeSnapshot(tree, skillPath(project, row.name), seen, diskNow())
      if (haveSameBytes(seen, current)) await this.recordPlaced(row, JSON.stringify(current))
      else await this.retryPlacing(row)
    } catch (error) {
      onProblem(`The skill ${row.name} could not be placed; this is tried again`, error)
    }
  }

  /** Existing files are the previous version or newer edits, and go to the trash. */
  private async retryPlacing(row: SkillRow): Promise<void> {
    const { folders, projects, requireMounted, versions } = this.deps
    const { files } = versions.find(row.projectId, row.name, row.version)!
    const { staged, seen } = await this.prepare(await unpack(files!))
    try {
      const project = projects.find(row.projectId)!
      requireMounted(project)
      folders.place(staged, skillPath(project, row.name), trashPathOf(project, row, staged))
      await folders.flush(skillPath(project, row.name))
    } catch (error) {
      await folders.discard(staged)
      throw error
    }
    await this.recordPlaced(row, JSON.stringify(seen))
  }

  private recordPlaced(row: SkillRow, seen: string): Promise<boolean> {
    return commitOrUnavailable(this.deps.database, () => this.deps.skills.setSeen(row, seen))
  }

  /** Edits made just before the folder was displaced stay, and so do unknown files. */
  private async removeUnlessEdited(trashPath: string, before: SkillRow): Promise<void> {
    const { diskNow, tree } = this.deps
    const seen: FileSnapshot = JSON.parse(before.seen)
    if (!haveSameBytes(seen, await takeSnapshot(tree, trashPath, seen, diskNow()))) return
    const folders = new Set([trashPath])
    for (const path of Object.keys(seen)) {
      tree.remove(`${trashPath}/${path}`)
      for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
        folders.add(`${trashPath}/${path.slice(0, end)}`)
      }
    }
    for (const folder of [...folders].sort().reverse()) tree.removeEmptyFolder(folder)
  }

  private descriptionAt(path: string): string {
    try {
      const manifest = this.deps.tree.read(path)
      return manifest ? descriptionIn(manifest.bytes.toString()) : ''
    } catch (error) {
      throw readUnavailableError(error)
    }
  }

  private async mapReadErrors<T>(reading: Promise<T>): Promise<T> {
    return reading.catch((error) => {
      throw readUnavailableError(error)
    })
  }
}

const trashPathOf = (project: Project, { name, version }: SkillRow, staged: StagedFolder): string =>
  `trash/${project.folder}/skills/${name}-v${version - 1}-${staged.name}`
