import type { Database } from '../../data/database.ts'
import type { SkillVersionsTable } from '../../data/tables/skill-versions.ts'
import type { SkillRow, SkillsTable } from '../../data/tables/skills.ts'
import { isLitter, legalName, type Tree } from '../../data/tree/index.ts'
import { pathOfStaged, type StagedFolder, type WholeFolders } from '../../data/tree/whole-folders.ts'
import type { Clock } from '../clock.ts'
import { WorkspaceError } from '../errors.ts'
import type { Project } from '../projects/types.ts'
import { revisionOf } from '../revision.ts'
import { commitTo } from '../unavailable.ts'
import { isAsSeen, type SeenFiles, sameBytes, seenFile, seenNow, stampsBelow } from './seen-files.ts'
import { type SkillFiles, unpack } from './skill-files.ts'
import { descriptionIn, sheetName } from './skill-sheet.ts'

export interface PublishingParts {
  clock: Clock
  database: Database
  skills: SkillsTable
  versions: SkillVersionsTable
  tree: Tree
  folders: WholeFolders
}

export const skillsPath = (project: Pick<Project, 'folder'>): string => `projects/${project.folder}/skills`

/** Where a skill is published, within the home. */
export const skillPath = (project: Pick<Project, 'folder'>, name: string): string =>
  `${skillsPath(project)}/${name}`

/** More folders below `skills` are not looked at. */
const mostFolders = 1000

/** Files that are ready to be put in place, with what they will look like there. */
export interface Ready {
  staged: StagedFolder
  seen: SeenFiles
}

/** The published skills on the disk: what people did to them there, and how a version gets there. */
export class Publishing {
  private readonly parts: PublishingParts

  constructor(parts: PublishingParts) {
    this.parts = parts
  }

  /**
   * Takes in what happened to a skill's folder: files that were edited, added or removed by hand, or a whole folder,
   * are a version of their own. So no publication replaces what its author has not seen.
   * @returns the skill; undefined where there is none
   */
  async settle(project: Project, name: string): Promise<SkillRow | undefined> {
    const { clock, database, skills, versions, tree } = this.parts
    if (legalName(name) !== null || isLitter(name)) return undefined
    const row = skills.find(project.id, name)
    if (row && !row.isPlaced) return row
    const root = skillPath(project, name)
    const stamps = await stampsBelow(tree, root)
    const before: SeenFiles = row ? JSON.parse(row.seen) : {}
    if (row ? isAsSeen(stamps, before) : !stamps.has(sheetName)) return row
    const now = seenNow(tree, root, stamps, before)
    if (row && sameBytes(before, now)) {
      database.defer(() => skills.setSeen(row, JSON.stringify(now)))
      return row
    }
    const sheet = stamps.has(sheetName) ? tree.read(`${root}/${sheetName}`) : null
    const description = sheet ? descriptionIn(sheet.bytes.toString()) : ''
    await commitTo(database, () => {
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
  async settleAll(project: Project): Promise<void> {
    const { skills, tree } = this.parts
    const names = new Set(skills.all(project.id).map(({ name }) => name))
    for (const { name, look } of tree.list(skillsPath(project)) ?? []) {
      if (look.kind === 'odd' && look.odd === 'folder' && names.size < mostFolders) names.add(name)
    }
    for (const name of names) {
      await this.settle(project, name).catch((error) => {
        if (!(error instanceof WorkspaceError && error.code === 'unavailable')) throw error
      })
    }
  }

  /** Writes a version's files beside their place. @throws DiskError */
  async prepare(files: SkillFiles): Promise<Ready> {
    const { folders, tree } = this.parts
    const bytes = new Map([...files].map(([path, text]) => [path, Buffer.from(text)]))
    const staged = await folders.stage(bytes)
    const stamps = await stampsBelow(tree, pathOfStaged(staged))
    const seen = [...stamps].map(([path, stamp]) => [path, seenFile(stamp, revisionOf(bytes.get(path)!))])
    return { staged, seen: Object.fromEntries(seen) }
  }

  discard({ staged }: Ready): Promise<void> {
    return this.parts.folders.discard(staged)
  }

  /**
   * Puts a committed version in place, at once: nobody sees the row of the one and the files of the other.
   * @param row as it was committed
   * @param before as it was until then
   * @returns what there is left to do, which may fail without harm: a start does it again
   * @throws DiskError with everything as it was
   */
  place(project: Project, row: SkillRow, before: SkillRow, { staged }: Ready): () => Promise<void> {
    const { folders, versions } = this.parts
    const path = skillPath(project, row.name)
    // What a person made by hand is nowhere but there.
    const isByHand = before.version > 0 && !versions.find(project.id, row.name, before.version)?.files
    const trashPath = trashPathOf(project, row, staged)
    const displaced = folders.place(staged, path, isByHand ? trashPath : null)
    return async () => {
      if (displaced) await this.dropUnlessEdited(displaced, before, trashPath)
      await folders.flush(path)
      await this.remember(row, row.seen)
    }
  }

  /** Removes what a crash left, and puts in place what is committed and does not stand there. */
  async finish(
    projectOf: (id: string) => Project,
    onFailure: (error: unknown, name: string) => void,
  ): Promise<void> {
    const { folders, skills } = this.parts
    await folders.clear()
    for (const { projectId, name } of skills.unplaced()) {
      try {
        await this.finishOne(projectOf(projectId), skills.find(projectId, name)!)
      } catch (error) {
        onFailure(error, name)
      }
    }
  }

  private async finishOne(project: Project, row: SkillRow): Promise<void> {
    const stamps = await stampsBelow(this.parts.tree, skillPath(project, row.name))
    if (isAsSeen(stamps, JSON.parse(row.seen))) await this.remember(row, row.seen)
    else await this.placeAgain(project, row)
  }

  /** What stands there is the version before, or a person's since then: that is kept in the trash, whichever it is. */
  private async placeAgain(project: Project, row: SkillRow): Promise<void> {
    const { folders, versions } = this.parts
    const { files } = versions.find(project.id, row.name, row.version)!
    const { staged, seen } = await this.prepare(await unpack(files!))
    folders.place(staged, skillPath(project, row.name), trashPathOf(project, row, staged))
    await folders.flush(skillPath(project, row.name))
    await this.remember(row, JSON.stringify(seen))
  }

  /** From now on what is found there is somebody's doing. */
  private remember(row: SkillRow, seen: string): Promise<boolean> {
    return commitTo(this.parts.database, () => this.parts.skills.setSeen(row, seen))
  }

  /** An edit may have come in the moment before the folder was displaced. */
  private async dropUnlessEdited(
    displaced: StagedFolder,
    before: SkillRow,
    trashPath: string,
  ): Promise<void> {
    const { folders, tree } = this.parts
    const stamps = await stampsBelow(tree, pathOfStaged(displaced))
    if (isAsSeen(stamps, JSON.parse(before.seen))) await folders.discard(displaced)
    else if (stamps.size > 0) folders.keep(displaced, trashPath)
  }
}

/** A name of its own for what a version takes the place of. */
const trashPathOf = (project: Project, { name, version }: SkillRow, staged: StagedFolder): string =>
  `trash/${project.folder}/skills/${name}-v${version - 1}-${staged.name}`
