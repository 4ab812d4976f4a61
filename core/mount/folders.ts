import { TimeSlice } from '../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import { isIgnoredName, isSafeName, isScratchName, type PathStat } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { SharedRuns } from '../concurrency/shared-runs.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { columns } from '../documents/model/columns.ts'
import { kindInFolder, readmePath } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import { scopeFor } from '../documents/model/scopes.ts'
import { DocumentFiles } from './document-files.ts'
import {
  documentPathOf,
  homePathAt,
  type MountLocation,
  type MountPaths,
  scopeFolderFor,
  type TopLevelFolder,
  topLevelFolderNames,
} from './mount-paths.ts'
import type { PlainFiles } from './plain-files.ts'
import type { Mounted, MountedFile, MountedFolder } from './types.ts'

/** More new files than this are a checkout or an archive, of which only stats are listed. */
const maxReconciled = 100

interface MountFoldersDeps {
  disk: DiskSync
  byPath: PathResolver
  mountPaths: MountPaths
  plainFiles: PlainFiles
}

export class MountFolders {
  private readonly shared: SharedDeps
  private readonly deps: MountFoldersDeps
  private readonly listings: FolderListings
  private readonly documentFiles: DocumentFiles

  constructor(shared: SharedDeps, deps: MountFoldersDeps) {
    this.shared = shared
    this.deps = deps
    this.listings = new FolderListings(shared, deps.disk)
    this.documentFiles = new DocumentFiles(shared.contents)
  }

  find(caller: Caller, location: MountLocation): MountedFolder | null {
    const name = location.names.at(-1) ?? location.project.slug
    const folder = (): MountedFolder => ({ kind: 'folder', name, changedMs: this.changedMs(location) })
    if (this.isFixed(caller, location)) return folder()
    if (
      !this.canContainFolders(location) &&
      (location.topLevelFolder !== 'skills' || !haveLegalNames(location.names))
    )
      return null
    const stat = this.shared.tree.statAnySize(homePathAt(location))
    return stat.kind === 'skipped' && stat.reason === 'folder' ? folder() : null
  }

  /** Standard folders can neither be created nor moved nor removed. */
  isFixed(caller: Caller, { project, names, topLevelFolder }: MountLocation): boolean {
    const [, second] = names
    if (second === undefined)
      return (
        names.length === 0 || (topLevelFolder !== null && this.topLevelFolderExists(project, topLevelFolder))
      )
    if (names.length > 2) return false
    if (topLevelFolder === 'board') return columns.some(({ name }) => name === second)
    if (topLevelFolder === 'drafts')
      return this.deps.mountPaths.draftFolders(caller.member, project).has(second)
    return topLevelFolder === 'attachments' && this.attachmentsOf(caller, project, second).length > 0
  }

  canContainFolders({ topLevelFolder, names }: MountLocation): boolean {
    return (
      (topLevelFolder === 'documents' || topLevelFolder === 'files') &&
      names.length > 1 &&
      names.every(isSafeName)
    )
  }

  async file(caller: Caller, location: MountLocation): Promise<MountedFile | null> {
    const fileKind = this.deps.mountPaths.fileKindOf(caller, location)
    if (fileKind === 'document') {
      const record = await this.deps.byPath.find(caller.member, location)
      return record && this.documentFiles.of(record)
    }
    return fileKind === 'file' || this.isReadOnly(caller, location)
      ? this.deps.plainFiles.find(location)
      : null
  }

  async list(caller: Caller, location: MountLocation): Promise<Mounted[]> {
    const { topLevelFolder, names } = location
    if (names.length === 0) return this.topLevelFolders(caller, location)
    if (topLevelFolder === 'board' && names.length === 1)
      return columns.map(({ name }) => this.folderIn(location, name))
    if (topLevelFolder === 'drafts' && names.length === 1) {
      const own = this.deps.mountPaths.draftFolders(caller.member, location.project)
      return [...own].sort().map((name) => this.folderIn(location, name))
    }
    if (topLevelFolder === 'attachments') return this.listAttachments(caller, location)
    if (topLevelFolder === 'files' || topLevelFolder === 'skills') return this.entries(caller, location)
    await this.deps.disk.rescanFolder(location.project, location.path)
    return this.entries(caller, location)
  }

  hidden(location: MountLocation, listed: ReadonlySet<string>): string[] {
    if (location.topLevelFolder !== 'documents' && location.topLevelFolder !== 'files') return []
    const names = this.shared.tree.names(homePathAt(location)) ?? []
    return names.filter((name) => !listed.has(name) && !isScratchName(name))
  }

  private async topLevelFolders(caller: Caller, location: MountLocation): Promise<Mounted[]> {
    const { project } = location
    const home = hasScope(caller, scopeFor('home', 'read'))
      ? await this.file(caller, { ...location, names: [readmePath], path: readmePath })
      : null
    const existing = topLevelFolderNames.filter((topLevelFolder) => {
      const scopeFolder = scopeFolderFor(topLevelFolder)
      if (scopeFolder === null) return this.topLevelFolderExists(project, topLevelFolder)
      return hasScope(caller, scopeFor(kindInFolder[scopeFolder], 'read'))
    })
    return [
      ...(home ? [home] : []),
      ...existing.map((topLevelFolder) => this.folderIn(location, topLevelFolder)),
    ]
  }

  private async entries(caller: Caller, location: MountLocation): Promise<Mounted[]> {
    const found = new Map<string, Mounted | null>()
    const unreconciled: MountLocation[] = []
    const slice = new TimeSlice()
    for (const { name, stat, record } of await this.listings.at(location)) {
      const file = record && this.documentFiles.of(record)
      if (file) {
        found.set(name, this.mayRead(caller, record) ? file : null)
        continue
      }
      while (slice.isOver) await slice.pause()
      const child = { ...location, names: [...location.names, name], path: `${location.path}/${name}` }
      if (stat.kind === 'skipped' && stat.reason === 'folder') found.set(name, this.find(caller, child))
      else if (documentPathOf(child.path) === null) {
        found.set(name, await this.file(caller, child))
      } else if (stat.kind === 'file') {
        found.set(name, null)
        unreconciled.push(child)
      }
    }
    await this.reconcile(caller, unreconciled, found)
    return [...found.values()].filter((node) => node !== null)
  }

  /** Ingests unseen changes, unless there are many. */
  private async reconcile(
    caller: Caller,
    unreconciled: MountLocation[],
    found: Map<string, Mounted | null>,
  ): Promise<void> {
    const isTooMany = unreconciled.length > maxReconciled
    await Promise.all(
      unreconciled.map(async (child) => {
        // The author of an unknown draft is only known from its bytes.
        const isVisible = child.topLevelFolder !== 'drafts'
        const byStat = isVisible ? this.deps.plainFiles.find(child) : null
        const node = isTooMany ? byStat : await this.file(caller, child).catch(() => byStat)
        found.set(child.names.at(-1)!, node)
      }),
    )
  }

  private mayRead({ member }: Caller, { kind, authorId }: DocumentRecord): boolean {
    return kind !== 'draft' || authorId === member.id
  }

  private listAttachments(caller: Caller, location: MountLocation): Mounted[] {
    const { project, names } = location
    const [, id] = names
    if (id === undefined) {
      return this.shared.catalogue
        .inProject(project.id)
        .filter((record) => this.attachmentsOf(caller, project, record.id).length > 0)
        .map(({ id: name }) => this.folderIn(location, name))
        .sort((one, other) => (one.name < other.name ? -1 : 1))
    }
    return this.attachmentsOf(caller, project, id).flatMap(
      (name) =>
        this.deps.plainFiles.find({
          ...location,
          names: [...names, name],
          path: `${location.path}/${name}`,
        }) ?? [],
    )
  }

  private attachmentsOf(caller: Caller, project: Project, id: string): string[] {
    const record = this.shared.catalogue.find(id)
    const isVisible = record?.projectId === project.id && mayRead(caller, record, this.shared.projects)
    return isVisible ? record.attachments.map(({ name }) => name) : []
  }

  private isReadOnly(caller: Caller, { project, names, topLevelFolder }: MountLocation): boolean {
    const [, second, third] = names
    if (third === undefined || !haveLegalNames(names)) return false
    if (topLevelFolder === 'attachments') {
      return names.length === 3 && this.attachmentsOf(caller, project, second!).includes(third)
    }
    return topLevelFolder === 'skills'
  }

  /** Standard folders exist even if missing from the disk, except those created with their contents. */
  private topLevelFolderExists(project: Project, topLevelFolder: TopLevelFolder): boolean {
    if (topLevelFolder !== 'attachments' && topLevelFolder !== 'skills') return true
    return this.changedMs({ project, path: topLevelFolder }) !== null
  }

  private folderIn({ project, names }: MountLocation, name: string): MountedFolder {
    return { kind: 'folder', name, changedMs: this.changedMs({ project, path: [...names, name].join('/') }) }
  }

  private changedMs(location: Pick<MountLocation, 'project' | 'path'>): number | null {
    return this.shared.tree.folderStamp(homePathAt(location))?.mtimeMs ?? null
  }
}

const haveLegalNames = (names: readonly string[]): boolean =>
  names.every((name) => isSafeName(name) && !isIgnoredName(name))

interface ListedEntry {
  name: string
  stat: PathStat
  /** The file's document; null if there is none, or the file has changed. */
  record: DocumentRecord | null
}

/** Stats each entry of a folder once for all requests that arrive before the first `stat`. */
class FolderListings {
  private readonly runs = new SharedRuns<ListedEntry[]>()

  constructor(
    private readonly shared: Pick<SharedDeps, 'catalogue' | 'tree'>,
    private readonly disk: Pick<DiskSync, 'isReconciledAt'>,
  ) {}

  /** In the order of names, without those that cannot be part of a path. */
  at(location: Pick<MountLocation, 'project' | 'path'>): Promise<ListedEntry[]> {
    return this.runs.join(homePathAt(location), () => this.list(location))
  }

  private async list(location: Pick<MountLocation, 'project' | 'path'>): Promise<ListedEntry[]> {
    const listed: ListedEntry[] = []
    const slice = new TimeSlice()
    for (const { name, stat } of this.shared.tree.entries(homePathAt(location)) ?? []) {
      while (slice.isOver) await slice.pause()
      if (stat.kind === 'file') listed.push({ name, stat, record: this.findUnchanged(location, name, stat) })
      else if (isSafeName(name)) listed.push({ name, stat, record: null })
    }
    return listed
  }

  private findUnchanged(
    { project, path }: Pick<MountLocation, 'project' | 'path'>,
    name: string,
    { stamp }: PathStat & { kind: 'file' },
  ): DocumentRecord | null {
    const record = this.shared.catalogue.at(project.id, `${path}/${name}`)
    return record && this.disk.isReconciledAt(stamp, record, project) ? record : null
  }
}
