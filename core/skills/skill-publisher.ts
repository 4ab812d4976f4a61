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
import { type SkillFiles, unpack } from './skill-files.ts'
import { descriptionIn, manifestName } from './skill-manifest.ts'

/** What the services of skills are built on. */
export interface SkillsDeps extends PublishingDeps {
  publishing: SkillPublisher
}

export interface PublishingDeps {
  clock: Clock
  /** The time by the clock that stamps files, Unix milliseconds. */
  diskNow: () => number
  database: Database
  projects: ProjectStore
  skills: SkillsTable
  versions: SkillVersionsTable
  tree: Tree
  folders: StagedFolders
  /** @throws WorkspaceError `unavailable` where a look at the project's folder shows that it cannot be used */
  requireThere: (project: Project) => void
  onProblem: (message: string, error?: unknown) => void
}

const skillsPath = (project: Pick<Project, 'folder'>): string => `projects/${project.folder}/skills`

/** Where a skill is published, within the home. */
export const skillPath = (project: Pick<Project, 'folder'>, name: string): string =>
  `${skillsPath(project)}/${name}`

/** More folders below `skills` are not looked at. */
const maxFolders = 1000

/** Files that are ready to be put in place, with what they will look like there. */
export interface StagedVersion {
  staged: StagedFolder
  seen: FileSnapshot
}

/** The published skills on the disk: what people did to them there, and how a version gets there. */
export class SkillPublisher {
  private readonly deps: PublishingDeps
  private readonly locks = new Locks()

  constructor(deps: PublishingDeps) {
    this.deps = deps
  }

  /** Runs `work` on a skill while nothing else puts a version of it in place; one that was not yet is before that. */
  withLock<T>(project: Project, name: string, work: () => Promise<T>): Promise<T> {
    return this.locks.run([`${project.id} ${name}`], async () => {
      const row = this.deps.skills.find(project.id, name)
      if (row && !row.isPlaced) await this.finishOne(row)
      return work()
    })
  }

  /**
   * What there is of a skill, with what happened to its folder: files that were edited, added or removed by hand, or a
   * whole folder, are a version of their own. So no publication replaces what its author has not seen.
   * @returns the skill; undefined where there is none
   * @throws WorkspaceError `unavailable` where the disk does not show what is there
   */
  async reconcile(project: Project, name: string): Promise<SkillRow | undefined> {
    if (illegalNameReason(name) !== null || isIgnoredName(name)) return undefined
    const isPlaced = this.deps.skills.find(project.id, name)?.isPlaced ?? true
    return isPlaced
      ? this.reconcileLocked(project, name)
      : this.withLock(project, name, () => this.reconcileLocked(project, name))
  }

  /** The same, for whoever holds the skill. */
  async reconcileLocked(project: Project, name: string): Promise<SkillRow | undefined> {
    const { clock, database, diskNow, requireThere, skills, versions, tree } = this.deps
    const row = skills.find(project.id, name)
    if (row && !row.isPlaced) return row
    const before: FileSnapshot = row ? JSON.parse(row.seen) : {}
    const now = await this.readable(takeSnapshot(tree, skillPath(project, name), before, diskNow()))
    if (row ? now === before : !Object.hasOwn(now, manifestName)) return row
    if (row && haveSameBytes(before, now)) {
      database.commitLater(() => skills.setSeen(row, JSON.stringify(now)))
      return row
    }
    const description = this.descriptionAt(`${skillPath(project, name)}/${manifestName}`)
    // An unmounted disk is no deletion.
    requireThere(project)
    await commitOrUnavailable(database, () => {
      const present = skills.find(project.id, name)
      // A publication came in between: what was seen may be the half of it.
      if (present?.version !== row?.version || present?.isPlaced === false) return
      const version = (present?.version ?? 0) + 1
      skills.put({
        projectId: project.id,
        name,
        version,
        draftRevision: present?.draftRevision ?? 0,
        draft: present?.draft ?? null,
        description,
        seen: JSON.stringify(now),
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
    })
    return skills.find(project.id, name)
  }

  /**
   * Settles every skill of a project: those that are known, and folders that somebody has made. One that cannot be read
   * stays what it was.
   */
  async reconcileAll(project: Project): Promise<void> {
    const { skills, tree } = this.deps
    const names = new Set(skills.all(project.id).map(({ name }) => name))
    for (const { name, stat } of tree.list(skillsPath(project)) ?? []) {
      if (stat.kind === 'odd' && stat.odd === 'folder' && names.size < maxFolders) names.add(name)
    }
    for (const name of names) {
      await this.reconcile(project, name).catch((error) => {
        if (!(error instanceof WorkspaceError && error.code === 'unavailable')) throw error
      })
    }
  }

  /** Writes a version's files beside their place. @throws DiskError */
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
   * Puts a committed version in place, at once: nobody sees the row of the one and the files of the other. What stands
   * there goes to the trash, where a crash leaves it.
   * @param row as it was committed
   * @param before as it was until then
   * @returns what there is left to do, which may fail without harm: it is done again later
   * @throws DiskError, or WorkspaceError `unavailable` where the project's folder is gone; everything is as it was
   */
  place(row: SkillRow, before: SkillRow, { staged }: StagedVersion): () => Promise<void> {
    const { folders, projects, requireThere, versions } = this.deps
    // Its folder may have got another name meanwhile.
    const project = projects.find(row.projectId)!
    requireThere(project)
    const path = skillPath(project, row.name)
    const trashPath = trashPathOf(project, row, staged)
    const isDisplaced = folders.place(staged, path, trashPath)
    // What a person made by hand is nowhere but there.
    const isByHand = before.version > 0 && !versions.find(project.id, row.name, before.version)?.files
    return async () => {
      if (isDisplaced && !isByHand) await this.removeUnlessEdited(trashPath, before)
      await folders.flush(path)
      await this.remember(row, row.seen)
    }
  }

  /** At a start: removes what a crash left, and puts in place what is committed and does not stand there. */
  async finish(): Promise<void> {
    const { folders, projects, skills } = this.deps
    await folders.clear()
    for (const { projectId, name } of skills.unplaced())
      await this.withLock(projects.find(projectId)!, name, async () => {})
  }

  /** Where it fails, it is done when somebody asks for the skill. */
  private async finishOne(row: SkillRow): Promise<void> {
    const { diskNow, onProblem, projects, requireThere, tree } = this.deps
    const project = projects.find(row.projectId)!
    try {
      requireThere(project)
      const seen: FileSnapshot = JSON.parse(row.seen)
      const now = await takeSnapshot(tree, skillPath(project, row.name), seen, diskNow())
      if (haveSameBytes(seen, now)) await this.remember(row, JSON.stringify(now))
      else await this.retryPlacing(row)
    } catch (error) {
      onProblem(`The skill ${row.name} could not be put in place; this is tried again`, error)
    }
  }

  /** What stands there is the version before, or a person's since then: that is kept in the trash, whichever it is. */
  private async retryPlacing(row: SkillRow): Promise<void> {
    const { folders, projects, requireThere, versions } = this.deps
    const { files } = versions.find(row.projectId, row.name, row.version)!
    const { staged, seen } = await this.prepare(await unpack(files!))
    try {
      const project = projects.find(row.projectId)!
      requireThere(project)
      folders.place(staged, skillPath(project, row.name), trashPathOf(project, row, staged))
      await folders.flush(skillPath(project, row.name))
    } catch (error) {
      await folders.discard(staged)
      throw error
    }
    await this.remember(row, JSON.stringify(seen))
  }

  /** From now on what is found there is somebody's doing. */
  private remember(row: SkillRow, seen: string): Promise<boolean> {
    return commitOrUnavailable(this.deps.database, () => this.deps.skills.setSeen(row, seen))
  }

  /** An edit may have come in the moment before the folder was displaced, and what was never seen is somebody's. */
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
      const sheet = this.deps.tree.read(path)
      return sheet ? descriptionIn(sheet.bytes.toString()) : ''
    } catch (error) {
      throw readUnavailableError(error)
    }
  }

  private async readable<T>(reading: Promise<T>): Promise<T> {
    return reading.catch((error) => {
      throw readUnavailableError(error)
    })
  }
}

/** A name of its own for what a version takes the place of. */
const trashPathOf = (project: Project, { name, version }: SkillRow, staged: StagedFolder): string =>
  `trash/${project.folder}/skills/${name}-v${version - 1}-${staged.name}`
