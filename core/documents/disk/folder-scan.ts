import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
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

/** More changes at once are a checkout or an unpacked archive, for which lists do not wait. */
const bulkCount = 100

/** A folder's stamp taken this soon after a change may hide another change in the same tick. */
const granularityMs = 20

const listAttempts = 3

type FolderStamp = { ino: number; mtimeMs: number; ctimeMs: number }

interface KnownFolder {
  stamp: FolderStamp
  /** Conflict copies by the key of the original's name, which sync tools may spell in another form. */
  copies: Map<string, string[]> | null
}

interface FolderComparison {
  differing: Found[]
  folders: string[]
  /** Called once the differences are queued, since lists skip unchanged folders. */
  learn: () => void
}

interface FolderScanDeps {
  intake: Ingester
  looks: StampChecker
  oddities: SkippedFiles
  roots: ProjectRoots
  absences: MissingFiles
}

function learnOrDefer({ differing, learn }: FolderComparison, learning: (() => void)[]): void {
  if (differing.length === 0) learn()
  else learning.push(learn)
}

/** Compares folders independently of the watcher, in time slices, and remembers folder stamps for lists. */
export class FolderScan {
  private readonly shared: DocumentsDeps
  private readonly deps: FolderScanDeps
  private readonly strays: UntrackedFiles
  private readonly slice = new TimeSlice()
  private readonly folders = new Map<string, KnownFolder>()
  private readonly unreadable = new Map<string, Set<string>>()
  /** Scans that have not begun; later requests share them. */
  private readonly freshenings = new Map<string, Promise<void>>()
  private isStopped = false
  comparedCount = 0
  private copiesChanges = 0

  constructor(shared: DocumentsDeps, deps: FolderScanDeps) {
    this.shared = shared
    this.deps = deps
    this.strays = new UntrackedFiles(shared)
  }

  stop(): void {
    this.isStopped = true
  }

  /** @returns `taken` resolves when all differences have been ingested */
  async all(): Promise<{ taken: Promise<unknown> }> {
    await this.deps.roots.discover()
    // The newest project first: it is the likeliest to be in use.
    const projects = this.shared.projects.all().toSorted((one, other) => other.createdMs - one.createdMs)
    return this.inProjects(projects.map((project) => [project, [topOf(project)]]))
  }

  /** Scans the folders and all below them. @param paths in the home, below projects */
  async below(paths: readonly string[]): Promise<{ taken: Promise<unknown> }> {
    const byProject = new Map<Project, string[]>()
    for (const path of outermost(paths)) {
      const project = this.deps.roots.projectIn(path.split('/')[1]!)
      if (project) byProject.set(project, [...(byProject.get(project) ?? []), path])
    }
    for (const project of byProject.keys()) this.deps.roots.check(project)
    return this.inProjects([...byProject])
  }

  unreadableFolders(project: Project): string[] {
    const top = topOf(project)
    return [...(this.unreadable.get(project.id) ?? [])].map((folder) => folder.slice(top.length + 1))
  }

  untrackedFolders(project: Project): UntrackedFolder[] {
    return this.strays.inProject(project)
  }

  /** Increases when a conflict copy may have come or gone. */
  get copiesVersion(): number {
    return this.copiesChanges
  }

  /** @param path of the original, in the home */
  conflictCopies(path: string): string[] {
    const end = path.lastIndexOf('/')
    return this.folders.get(path.slice(0, end))?.copies?.get(nameKey(path.slice(end + 1))) ?? []
  }

  /** Compares changed folders. Resolves once ingested, unless changes are many. @param root in the project */
  rescan(project: Project, root: string): Promise<void> {
    const top = `${topOf(project)}/${root}`
    const planned = this.freshenings.get(top)
    if (planned) return planned
    // Requests of one turn share a scan.
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
      // Another scan may have compared it since.
      if (looked.has(folder) || this.isKnownUnchanged(folder)) continue
      looked.add(folder)
      const shown = await this.compare(project, folder, slice)
      if (shown === 'unreadable') continue
      if (shown === 'missing') {
        this.forget(folder)
        differing.push(...(await this.noteMissing(project, folder, new Set(), slice)))
        continue
      }
      differing.push(...shown.differing)
      learnOrDefer(shown, learning)
      ahead.push(...shown.folders.filter((path) => !this.folders.has(path) && mayHold(path)))
    }
    const isFlood = differing.length > bulkCount
    const { taken } = await this.deps.intake.ingestAll(differing, isFlood ? 'background' : 'answering')
    for (const learn of learning) learn()
    if (isFlood) return
    // Another scan may be ingesting the new files.
    const arriving = this.deps.intake.arrivals(top, bulkCount)
    await (arriving ? Promise.all([taken, ...arriving]) : taken)
  }

  private async inProjects(asked: [Project, string[]][]): Promise<{ taken: Promise<unknown> }> {
    const taking: Promise<unknown>[] = []
    for (const [project, folders] of asked) {
      if (this.deps.roots.trouble(project) !== null) continue
      const { differing, learning } = await this.inProject(project, folders)
      const { taken } = await this.deps.intake.ingestAll(differing, 'background')
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
      learnOrDefer(shown, learning)
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
      if (known && this.confirmUnchanged(`${folder}/${name}`, known, stat)) continue
      if (isIgnoredName(name)) continue
      if (isFolder(stat) && !isInFilesFolder(`${folder}/${name}`)) shown.folders.push(`${folder}/${name}`)
      if (parseDocumentPath(path) === null) {
        if (stat.kind === 'file' && isUntracked(path)) strays.push(name)
        continue
      }
      const original = conflictOf(name)
      if (original !== null) copies.set(nameKey(original), [...(copies.get(nameKey(original)) ?? []), name])
      else {
        if (stat.kind === 'skipped' && stat.reason !== 'folder') odd.set(name, stat.reason)
        if (stat.kind === 'file' || known) shown.differing.push({ path: `${folder}/${name}`, stat })
      }
    }
    this.deps.oddities.replace(folder, odd)
    this.strays.replace(project, inner, strays)
    const isClear = Math.max(stamp.ctimeMs, stamp.mtimeMs) + granularityMs < nowMs
    if (inner === '' || canContainDocuments(inner)) {
      const known = {
        stamp: isClear ? stamp : { ...stamp, mtimeMs: -1 },
        copies: copies.size > 0 ? copies : null,
      }
      shown.learn = () => this.learn(folder, known)
    }
    shown.differing.push(...(await this.noteMissing(project, folder, names, slice)))
    return shown
  }

  /** Tries again, since a folder may be renamed and renamed back between these calls. */
  private list(
    folder: string,
  ): { stamp: FolderStamp; entries: Iterable<FolderEntry> } | 'missing' | 'unreadable' {
    const { tree } = this.shared
    for (let attempt = 0; attempt < listAttempts; attempt++) {
      // Before listing, so that a later change changes the next stamp.
      const stamp = tree.folderStamp(folder)
      const entries = stamp && tree.entries(folder)
      if (entries) return { stamp, entries }
      const stat = tree.stat(folder)
      if (stat.kind !== 'skipped') return 'missing'
      if (stat.reason !== 'folder') return stat.reason === 'unreadable' ? 'unreadable' : 'missing'
    }
    return 'unreadable'
  }

  /** Compares stats before names are parsed, since nearly every file is unchanged. */
  private confirmUnchanged(path: string, known: DocumentRecord, stat: FolderEntry['stat']): boolean {
    if (stat.kind !== 'file' || !this.deps.looks.verifyStamp(path, known, stat.stamp)) return false
    this.deps.absences.clear(known)
    return true
  }

  /** Notes documents that are missing and not among `names`. @returns those that came back changed */
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
      if (isMissing(stat)) this.deps.absences.add(now)
      else if (!this.confirmUnchanged(path, now, stat)) came.push({ path, stat })
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

  private learn(folder: string, known: KnownFolder): void {
    if (known.copies || this.folders.get(folder)?.copies) this.copiesChanges += 1
    this.folders.set(folder, known)
  }

  private forget(folder: string): void {
    if (this.folders.get(folder)?.copies) this.copiesChanges += 1
    this.folders.delete(folder)
    this.deps.oddities.replace(folder, new Map())
  }

  private knownBelow(path: string): string[] {
    return [...this.folders.keys()].filter((folder) => isAtOrBelow(folder, path))
  }

  private documentFoldersBelow(project: Project, path: string): string[] {
    const inner = path.slice(topOf(project).length + 1)
    return this.shared.catalogue.folders
      .atOrBelow(project.id, inner)
      .map((folder) => (folder === '' ? topOf(project) : pathInHome(project, folder)))
  }
}

const topOf = (project: Project) => `projects/${project.folder}`

const isAtOrBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

const isFolder = (stat: PathStat) => stat.kind === 'skipped' && stat.reason === 'folder'

const mayHold = (path: string) => canContainDocuments(path.split('/').slice(2).join('/'))

function outermost(paths: readonly string[]): string[] {
  const kept: string[] = []
  // A trailing slash sorts a folder directly before its contents.
  const ends = [...new Set(paths)].map((path) => `${path}/`).sort()
  for (const path of ends) {
    const last = kept.at(-1)
    if (last === undefined || !path.startsWith(last)) kept.push(path)
  }
  return kept.map((path) => path.slice(0, -1))
}
