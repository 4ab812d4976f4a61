import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { TimeSlice } from '../../../data/time-slice.ts'
import {
  conflictOf,
  type FolderEntry,
  isIgnoredName,
  nameKey,
  type PathStat,
  type SkipReason,
} from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import {
  canContainDocuments,
  isInFilesFolder,
  parseDocumentPath,
  pathInHome,
} from '../model/document-paths.ts'
import { isUntracked, type UntrackedFolder } from '../model/untracked-folders.ts'
import type { ProjectRoots } from '../storage/project-roots.ts'
import type { Found, Ingester } from './ingester.ts'
import type { MissingFiles } from './missing-files.ts'
import { isMissing, type SkippedFiles } from './skipped-files.ts'
import type { StampChecker } from './stamp-checker.ts'
import { UntrackedFiles } from './untracked-files.ts'

/** More changes than this at once are a checkout or an archive: who lists a folder meanwhile does not wait for them. */
const bulkCount = 100

/** A folder's stamp that was taken so soon after the folder was touched may hide another touch within the same tick. */
const granularityMs = 20

/** How often a folder is listed that is there and cannot be listed. */
const listAttempts = 3

type FolderStamp = { ino: number; mtimeMs: number; ctimeMs: number }

interface KnownFolder {
  stamp: FolderStamp
  /** File names of conflict copies in it, by the key of their original's name: sync tools may spell it in another form. */
  copies: Map<string, string[]> | null
}

/** What a look at one folder has shown. */
interface FolderComparison {
  /** What is not as the catalogue says. */
  differing: Found[]
  /** The folders in it that are worth a look, within the home. */
  folders: string[]
  /** Remembers the folder as it was. Not before what differs is waited for by those who list the folder meanwhile. */
  learn: () => void
}

/**
 * Compares folders with the catalogue, whatever a watcher said or did not say, in slices of a few milliseconds. It also
 * learns the folders' stamps, by which a listing sees that something was added or removed.
 */
export class FolderScan {
  private readonly shared: DocumentsDeps
  private readonly intake: Ingester
  private readonly looks: StampChecker
  private readonly roots: ProjectRoots
  private readonly absences: MissingFiles
  private readonly oddities: SkippedFiles
  private readonly strays: UntrackedFiles
  private readonly slice = new TimeSlice()
  /** By path within the home. */
  private readonly folders = new Map<string, KnownFolder>()
  /** Folders (within the home) of each project, by its id, that the last look could not look into. */
  private readonly unreadable = new Map<string, Set<string>>()
  /** Looks that are asked for and have not begun: they serve whoever asks meanwhile. */
  private readonly freshenings = new Map<string, Promise<void>>()
  private isStopped = false
  /** How many entries of folders have been compared since the start. */
  comparedCount = 0

  constructor(
    shared: DocumentsDeps,
    deps: {
      intake: Ingester
      looks: StampChecker
      oddities: SkippedFiles
      roots: ProjectRoots
      absences: MissingFiles
    },
  ) {
    this.shared = shared
    this.intake = deps.intake
    this.looks = deps.looks
    this.oddities = deps.oddities
    this.roots = deps.roots
    this.absences = deps.absences
    this.strays = new UntrackedFiles(shared)
  }

  /** Ends the look that is under way. */
  stop(): void {
    this.isStopped = true
  }

  /** Looks at everything. @returns `taken`: resolves when what differs has been taken in */
  async all(): Promise<{ taken: Promise<unknown> }> {
    await this.roots.discover()
    // The newest first: what people work on is likely to be there.
    const projects = this.shared.projects.all().toSorted((one, other) => other.createdMs - one.createdMs)
    return this.inProjects(projects.map((project) => [project, [topOf(project)]]))
  }

  /** Looks at folders, and at all below them. @param paths within projects' folders, given from the home */
  async below(paths: readonly string[]): Promise<{ taken: Promise<unknown> }> {
    const byProject = new Map<Project, string[]>()
    for (const path of outermost(paths)) {
      const project = this.roots.projectIn(path.split('/')[1]!)
      if (project) byProject.set(project, [...(byProject.get(project) ?? []), path])
    }
    for (const project of byProject.keys()) this.roots.check(project)
    return this.inProjects([...byProject])
  }

  /** The folders of a project, within it, that the last look could not look into. */
  unreadableFolders(project: Project): string[] {
    const top = topOf(project)
    return [...(this.unreadable.get(project.id) ?? [])].map((folder) => folder.slice(top.length + 1))
  }

  /** Folders of a project that hold markdown which is no document, as of the last look. */
  untrackedFolders(project: Project): UntrackedFolder[] {
    return this.strays.inProject(project)
  }

  /** File names of the conflict copies that a sync tool left beside a file (its path within the home). */
  conflictCopies(path: string): string[] {
    const end = path.lastIndexOf('/')
    return this.folders.get(path.slice(0, end))?.copies?.get(nameKey(path.slice(end + 1))) ?? []
  }

  /**
   * Looks again at a folder and at those below it whose stamps say that an entry came or went.
   * Resolves when what came has been taken in, unless it is a flood.
   * @param root within the project
   */
  rescan(project: Project, root: string): Promise<void> {
    const top = `${topOf(project)}/${root}`
    const planned = this.freshenings.get(top)
    if (planned) return planned
    // Writers that arrive together share one look, as they share one commit.
    const freshening = new Promise((begin) => setImmediate(begin)).then(() => {
      this.freshenings.delete(top)
      return this.freshenNow(project, top)
    })
    this.freshenings.set(top, freshening)
    return freshening
  }

  private async freshenNow(project: Project, top: string): Promise<void> {
    const slice = new TimeSlice()
    const ahead: string[] = []
    for (const folder of new Set([
      top,
      ...this.knownBelow(top),
      ...this.documentFoldersBelow(project, top),
    ])) {
      while (slice.isOver) await slice.pause()
      if (!this.isKnownUnchanged(folder)) ahead.push(folder)
    }
    const differing: Found[] = []
    const learning: (() => void)[] = []
    const looked = new Set<string>()
    for (let folder = ahead.pop(); folder !== undefined; folder = ahead.pop()) {
      if (looked.has(folder)) continue
      looked.add(folder)
      const shown = await this.compare(project, folder, slice)
      if (shown === 'unreadable') continue
      if (shown === 'missing') {
        this.forget(folder)
        differing.push(...(await this.noteMissing(project, folder, new Set(), slice)))
        continue
      }
      differing.push(...shown.differing)
      learning.push(shown.learn)
      ahead.push(...shown.folders.filter((path) => !this.folders.has(path) && mayHold(path)))
    }
    const isFlood = differing.length > bulkCount
    const { taken } = await this.intake.ingestAll(differing, isFlood ? 'background' : 'answering')
    for (const learn of learning) learn()
    if (isFlood) return
    // Another look may have come to the new files first, and still be at them.
    const arriving = this.intake.arrivals(top, bulkCount)
    await (arriving ? Promise.all([taken, ...arriving]) : taken)
  }

  private async inProjects(asked: [Project, string[]][]): Promise<{ taken: Promise<unknown> }> {
    const taking: Promise<unknown>[] = []
    for (const [project, folders] of asked) {
      if (this.roots.trouble(project) !== null) continue
      const { differing, learning } = await this.inProject(project, folders)
      const { taken } = await this.intake.ingestAll(differing, 'background')
      for (const learn of learning) learn()
      taking.push(taken)
    }
    return { taken: Promise.all(taking) }
  }

  private async inProject(
    project: Project,
    tops: string[],
  ): Promise<{ differing: Found[]; learning: (() => void)[] }> {
    const { slice } = this
    const differing: Found[] = []
    const learning: (() => void)[] = []
    const visited = new Set<string>()
    const unreadable = new Set<string>()
    const ahead = tops.toReversed()
    for (let folder = ahead.pop(); folder !== undefined; folder = ahead.pop()) {
      if (this.isStopped) return { differing: [], learning: [] }
      const shown = await this.compare(project, folder, slice)
      if (shown === 'unreadable') unreadable.add(folder)
      if (typeof shown === 'string') continue
      visited.add(folder)
      differing.push(...shown.differing)
      learning.push(shown.learn)
      ahead.push(...shown.folders.toReversed())
    }
    this.noteUnreadable(project, tops, unreadable)
    const isHidden = (folder: string) => [...unreadable].some((other) => isAtOrBelow(folder, other))
    for (const top of tops) {
      for (const folder of this.documentFoldersBelow(project, top)) {
        if (!visited.has(folder) && !isHidden(folder))
          differing.push(...(await this.noteMissing(project, folder, new Set(), slice)))
      }
      for (const folder of this.knownBelow(top)) {
        if (!visited.has(folder) && !isHidden(folder)) this.forget(folder)
      }
      this.strays.retain(project, top, visited)
    }
    this.strays.report(project)
    return { differing, learning }
  }

  /** Looks at one folder: learns of it, and finds what is not as the catalogue says. */
  private async compare(
    project: Project,
    folder: string,
    slice: TimeSlice,
  ): Promise<FolderComparison | 'missing' | 'unreadable'> {
    const { catalogue, diskNow } = this.shared
    const nowMs = diskNow()
    const listing = this.list(folder)
    if (typeof listing === 'string') return listing
    const { stamp, entries } = listing
    const inner = folder.slice(topOf(project).length + 1)
    const names = new Set<string>()
    const shown: FolderComparison = { differing: [], folders: [], learn: () => {} }
    const odd = new Map<string, SkipReason>()
    const copies = new Map<string, string[]>()
    const strays: string[] = []
    for (const entry of entries) {
      while (slice.isOver) await slice.pause()
      this.comparedCount += 1
      const { name, stat } = entry
      names.add(name)
      const path = inner === '' ? name : `${inner}/${name}`
      const known = catalogue.at(project.id, path)
      if (known && this.isUnchanged(`${folder}/${name}`, known, stat)) continue
      if (isIgnoredName(name)) continue
      if (isFolder(stat) && !isInFilesFolder(`${folder}/${name}`)) shown.folders.push(`${folder}/${name}`)
      if (parseDocumentPath(path) === null) {
        if (stat.kind === 'file' && isUntracked(path)) strays.push(name)
        continue
      }
      const original = conflictOf(name)
      if (original !== null) copies.set(nameKey(original), [...(copies.get(nameKey(original)) ?? []), name])
      else {
        if (stat.kind === 'odd' && stat.odd !== 'folder') odd.set(name, stat.odd)
        if (stat.kind === 'file' || known) shown.differing.push({ path: `${folder}/${name}`, stat })
      }
    }
    this.oddities.replace(folder, odd)
    this.strays.replace(project, inner, strays)
    const isClear = Math.max(stamp.ctimeMs, stamp.mtimeMs) + granularityMs < nowMs
    if (inner === '' || canContainDocuments(inner)) {
      const known = {
        stamp: isClear ? stamp : { ...stamp, mtimeMs: -1 },
        copies: copies.size > 0 ? copies : null,
      }
      shown.learn = () => void this.folders.set(folder, known)
    }
    shown.differing.push(...(await this.noteMissing(project, folder, names, slice)))
    return shown
  }

  /** A folder that is renamed between two of these calls, and back, is readable nevertheless. */
  private list(
    folder: string,
  ): { stamp: FolderStamp; entries: Iterable<FolderEntry> } | 'missing' | 'unreadable' {
    const { tree } = this.shared
    for (let attempt = 0; attempt < listAttempts; attempt++) {
      // Before the entries are listed: what comes while they are looked at shows in the next stamp.
      const stamp = tree.folderStamp(folder)
      const entries = stamp && tree.entries(folder)
      if (entries) return { stamp, entries }
      const stat = tree.stat(folder)
      if (stat.kind !== 'odd') return 'missing'
      if (stat.odd !== 'folder') return stat.odd === 'unreadable' ? 'unreadable' : 'missing'
    }
    return 'unreadable'
  }

  /** Nearly every file is a document that is as it was: it is told by its stat before its name is looked into. */
  private isUnchanged(path: string, known: DocumentRecord, stat: FolderEntry['stat']): boolean {
    if (stat.kind !== 'file' || !this.looks.verifyStamp(path, known, stat.stamp)) return false
    this.absences.clear(known)
    return true
  }

  /**
   * Notes the documents of a folder that are not among the names in it, and not there now either.
   * @returns those that have come meanwhile, and are not as they were
   */
  private async noteMissing(
    project: Project,
    folder: string,
    names: ReadonlySet<string>,
    slice: TimeSlice,
  ): Promise<Found[]> {
    const { catalogue, tree } = this.shared
    const came: Found[] = []
    for (const record of catalogue.inFolder(project.id, folder.slice(topOf(project).length + 1))) {
      while (slice.isOver) await slice.pause()
      if (names.has(record.path.slice(record.path.lastIndexOf('/') + 1))) continue
      const now = catalogue.find(record.id)
      if (now?.path !== record.path || now.projectId !== project.id) continue
      const path = pathInHome(project, now.path)
      const stat = tree.stat(path)
      if (isMissing(stat)) this.absences.add(now)
      else if (!this.isUnchanged(path, now, stat)) came.push({ path, stat })
    }
    return came
  }

  private isKnownUnchanged(folder: string): boolean {
    const known = this.folders.get(folder)?.stamp
    const stamp = this.shared.tree.folderStamp(folder)
    return (
      known !== undefined &&
      stamp !== null &&
      known.ino === stamp.ino &&
      known.mtimeMs === stamp.mtimeMs &&
      known.ctimeMs === stamp.ctimeMs
    )
  }

  private noteUnreadable(project: Project, tops: readonly string[], found: ReadonlySet<string>): void {
    const before = [...(this.unreadable.get(project.id) ?? [])]
    const elsewhere = before.filter((folder) => !tops.some((top) => isAtOrBelow(folder, top)))
    this.unreadable.set(project.id, new Set([...elsewhere, ...found]))
  }

  private forget(folder: string): void {
    this.folders.delete(folder)
    this.oddities.replace(folder, new Map())
  }

  /** The folders at or below a path (within the home) that have been looked at. */
  private knownBelow(path: string): string[] {
    return [...this.folders.keys()].filter((folder) => isAtOrBelow(folder, path))
  }

  /** The folders at or below a path (within the home) in which documents are known. */
  private documentFoldersBelow(project: Project, path: string): string[] {
    const inner = path.slice(topOf(project).length + 1)
    return this.shared.catalogue.folders
      .atOrBelow(project.id, inner)
      .map((folder) => (folder === '' ? topOf(project) : pathInHome(project, folder)))
  }
}

const topOf = (project: Project) => `projects/${project.folder}`

const isAtOrBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

const isFolder = (stat: PathStat) => stat.kind === 'odd' && stat.odd === 'folder'

/** @param path within the home, of a folder in a project's */
const mayHold = (path: string) => canContainDocuments(path.split('/').slice(2).join('/'))

/** Those that are not below another of them. */
function outermost(paths: readonly string[]): string[] {
  const kept: string[] = []
  // With a slash at its end a folder comes right before all that is below it.
  const ends = [...new Set(paths)].map((path) => `${path}/`).sort()
  for (const path of ends) {
    const last = kept.at(-1)
    if (last === undefined || !path.startsWith(last)) kept.push(path)
  }
  return kept.map((path) => path.slice(0, -1))
}
