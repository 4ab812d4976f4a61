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

interface FolderSnapshot {
  stamp: FolderStamp
  /** Conflict copies by the key of the original's name, which sync tools may spell in another form. */
  copies: Map<string, string[]> | null
}

interface FolderComparison {
  differing: Found[]
  folders: string[]
  /** Called once differences are queued, also those in new folders below, since lists skip remembered folders. */
  remember: () => void
}

interface FolderScanDeps {
  ingester: Ingester
  stampChecker: StampChecker
  skippedFiles: SkippedFiles
  roots: ProjectRoots
  missingFiles: MissingFiles
}

/** Compares folders independently of the watcher, in time slices, and remembers folder stamps for lists. */
export class FolderScan {
  private readonly shared: DocumentsDeps
  private readonly deps: FolderScanDeps
  private readonly untracked: UntrackedFiles
  /** Short, because requests do not wait for a background scan. */
  private readonly slice = new TimeSlice(1)
  private readonly folders = new Map<string, FolderSnapshot>()
  private readonly unreadable = new Map<string, Set<string>>()
  /** Scans that have not begun; later requests share them. */
  private readonly pendingRescans = new Map<string, Promise<void>>()
  private isStopped = false
  comparedCount = 0
  private copiesChanges = 0

  constructor(shared: DocumentsDeps, deps: FolderScanDeps) {
    this.shared = shared
    this.deps = deps
    this.untracked = new UntrackedFiles(shared.onProblem)
  }

  stop(): void {
    this.isStopped = true
  }

  /** @returns `ingested` resolves when all differences have been ingested */
  async all(): Promise<{ ingested: Promise<unknown> }> {
    await this.deps.roots.discover()
    // The newest project first: it is the likeliest to be in use.
    const projects = this.shared.projects.all().toSorted((one, other) => other.createdMs - one.createdMs)
    return this.inProjects(projects.map((project) => [project, [topOf(project)]]))
  }

  /** Scans the folders and all below them. @param paths in the home, below projects */
  async below(paths: readonly string[]): Promise<{ ingested: Promise<unknown> }> {
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
    return this.untracked.inProject(project)
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
    const planned = this.pendingRescans.get(top)
    if (planned) return planned
    // Requests of one turn share a scan.
    const rescan = new Promise((begin) => setImmediate(begin)).then(() => {
      this.pendingRescans.delete(top)
      return this.rescanNow(project, top)
    })
    this.pendingRescans.set(top, rescan)
    return rescan
  }

  private async rescanNow(project: Project, top: string): Promise<void> {
    const slice = new TimeSlice()
    const pending: string[] = []
    for (const folder of new Set([
      top,
      ...this.knownBelow(top),
      ...this.documentFoldersBelow(project, top),
    ])) {
      while (slice.isOver) await slice.pause()
      if (!this.isKnownUnchanged(folder)) pending.push(folder)
    }
    const differing: Found[] = []
    const deferred: (() => void)[] = []
    const visited = new Set<string>()
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      // Another scan may have compared it since.
      if (visited.has(folder) || this.isKnownUnchanged(folder)) continue
      visited.add(folder)
      const comparison = await this.compare(project, folder, slice)
      if (comparison === 'unreadable') continue
      if (comparison === 'missing') {
        this.forget(folder)
        differing.push(...(await this.noteMissing(project, folder, new Set(), slice)))
        continue
      }
      differing.push(...comparison.differing)
      this.rememberOrDefer(comparison, deferred)
      pending.push(...comparison.folders.filter((path) => this.isNew(path)))
    }
    const isBulk = differing.length > bulkCount
    const { ingested } = await this.deps.ingester.ingestAll(differing, isBulk ? 'background' : 'answering')
    for (const remember of deferred) remember()
    if (isBulk) return
    // Another scan may be ingesting the new files.
    const newDocuments = this.deps.ingester.newDocumentJobs(top, bulkCount)
    await (newDocuments ? Promise.all([ingested, ...newDocuments]) : ingested)
  }

  private async inProjects(foldersByProject: [Project, string[]][]): Promise<{ ingested: Promise<unknown> }> {
    const ingesting: Promise<unknown>[] = []
    for (const [project, folders] of foldersByProject) {
      if (this.deps.roots.problemOf(project) !== null) continue
      const { differing, deferred } = await this.inProject(project, folders)
      const { ingested } = await this.deps.ingester.ingestAll(differing, 'background')
      for (const remember of deferred) remember()
      ingesting.push(ingested)
    }
    return { ingested: Promise.all(ingesting) }
  }

  private async inProject(
    project: Project,
    tops: string[],
  ): Promise<{ differing: Found[]; deferred: (() => void)[] }> {
    const { slice } = this
    const differing: Found[] = []
    const deferred: (() => void)[] = []
    const visited = new Set<string>()
    const unreadable = new Set<string>()
    const pending = tops.toReversed()
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      if (this.isStopped) return { differing: [], deferred: [] }
      const comparison = await this.compare(project, folder, slice)
      if (comparison === 'unreadable') unreadable.add(folder)
      if (typeof comparison === 'string') continue
      visited.add(folder)
      differing.push(...comparison.differing)
      this.rememberOrDefer(comparison, deferred)
      pending.push(...comparison.folders.toReversed())
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
      this.untracked.retain(project, top, visited)
    }
    this.untracked.report(project)
    return { differing, deferred }
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
    const comparison: FolderComparison = { differing: [], folders: [], remember: () => {} }
    const skipped = new Map<string, SkipReason>()
    const copies = new Map<string, string[]>()
    const untracked: string[] = []
    for (const entry of entries) {
      while (slice.isOver) await slice.pause()
      this.comparedCount += 1
      const { name, stat } = entry
      names.add(name)
      const path = inner === '' ? name : `${inner}/${name}`
      const record = catalogue.at(project.id, path)
      if (record && this.confirmUnchanged(`${folder}/${name}`, record, stat)) continue
      if (isIgnoredName(name)) continue
      if (isFolder(stat) && !isInFilesFolder(`${folder}/${name}`))
        comparison.folders.push(`${folder}/${name}`)
      if (parseDocumentPath(path) === null) {
        if (stat.kind === 'file' && isUntracked(path)) untracked.push(name)
        continue
      }
      const original = conflictOf(name)
      if (original !== null) copies.set(nameKey(original), [...(copies.get(nameKey(original)) ?? []), name])
      else {
        if (stat.kind === 'skipped' && stat.reason !== 'folder') skipped.set(name, stat.reason)
        if (stat.kind === 'file' || record) comparison.differing.push({ path: `${folder}/${name}`, stat })
      }
    }
    this.deps.skippedFiles.replace(folder, skipped)
    this.untracked.replace(project, inner, untracked)
    const isStampReliable = Math.max(stamp.ctimeMs, stamp.mtimeMs) + granularityMs < nowMs
    if (inner === '' || canContainDocuments(inner)) {
      const snapshot = {
        stamp: isStampReliable ? stamp : { ...stamp, mtimeMs: -1 },
        copies: copies.size > 0 ? copies : null,
      }
      comparison.remember = () => this.remember(folder, snapshot)
    }
    comparison.differing.push(...(await this.noteMissing(project, folder, names, slice)))
    return comparison
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
  private confirmUnchanged(path: string, record: DocumentRecord, stat: FolderEntry['stat']): boolean {
    if (stat.kind !== 'file' || !this.deps.stampChecker.verifyStamp(path, record, stat.stamp)) return false
    this.deps.missingFiles.clear(record)
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
    const changed: Found[] = []
    for (const record of catalogue.inFolder(project.id, folder.slice(topOf(project).length + 1))) {
      while (slice.isOver) await slice.pause()
      if (names.has(record.path.slice(record.path.lastIndexOf('/') + 1))) continue
      const current = catalogue.find(record.id)
      if (current?.path !== record.path || current.projectId !== project.id) continue
      const path = pathInHome(project, current.path)
      const stat = tree.stat(path)
      if (isMissing(stat)) this.deps.missingFiles.add(current)
      else if (!this.confirmUnchanged(path, current, stat)) changed.push({ path, stat })
    }
    return changed
  }

  private isKnownUnchanged(folder: string): boolean {
    const previous = this.folders.get(folder)?.stamp
    const stamp = this.shared.tree.folderStamp(folder)
    return (
      previous !== undefined &&
      stamp !== null &&
      previous.ino === stamp.ino &&
      previous.mtimeMs === stamp.mtimeMs &&
      previous.ctimeMs === stamp.ctimeMs
    )
  }

  private noteUnreadable(project: Project, tops: readonly string[], found: ReadonlySet<string>): void {
    const before = [...(this.unreadable.get(project.id) ?? [])]
    const elsewhere = before.filter((folder) => !tops.some((top) => isAtOrBelow(folder, top)))
    this.unreadable.set(project.id, new Set([...elsewhere, ...found]))
  }

  private rememberOrDefer(
    { differing, folders, remember }: FolderComparison,
    deferred: (() => void)[],
  ): void {
    if (differing.length === 0 && folders.every((folder) => !this.isNew(folder))) remember()
    else deferred.push(remember)
  }

  private isNew(folder: string): boolean {
    return !this.folders.has(folder) && canHoldDocuments(folder)
  }

  private remember(folder: string, snapshot: FolderSnapshot): void {
    if (snapshot.copies || this.folders.get(folder)?.copies) this.copiesChanges += 1
    this.folders.set(folder, snapshot)
  }

  private forget(folder: string): void {
    if (this.folders.get(folder)?.copies) this.copiesChanges += 1
    this.folders.delete(folder)
    this.deps.skippedFiles.replace(folder, new Map())
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

const canHoldDocuments = (path: string) => canContainDocuments(path.split('/').slice(2).join('/'))

function outermost(paths: readonly string[]): string[] {
  const result: string[] = []
  // A trailing slash sorts a folder directly before its contents.
  const ends = [...new Set(paths)].map((path) => `${path}/`).sort()
  for (const path of ends) {
    const last = result.at(-1)
    if (last === undefined || !path.startsWith(last)) result.push(path)
  }
  return result.map((path) => path.slice(0, -1))
}
