import { TimeSlice } from '../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import { isIgnoredName, isSafeName, isScratchName } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { columns } from '../documents/model/columns.ts'
import { kindInFolder, readmePath } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import { scopeFor } from '../documents/model/scopes.ts'
import { DocumentFiles } from './document-files.ts'
import { FolderListings } from './folder-listings.ts'
import {
  documentPathOf,
  homePathAt,
  type MountLocation,
  type Places,
  scopeFolderFor,
  type TopLevelFolder,
  topLevelFolderNames,
} from './mount-paths.ts'
import type { PlainFiles } from './plain-files.ts'
import type { Mounted, MountedFile, MountedFolder } from './types.ts'

/** More new files than this are a checkout or an archive, of which only stats are listed. */
const floodCount = 100

interface MountFoldersDeps {
  disk: DiskSync
  byPath: PathResolver
  places: Places
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
    this.documentFiles = new DocumentFiles(shared)
  }

  find(caller: Caller, where: MountLocation): MountedFolder | null {
    const name = where.names.at(-1) ?? where.project.slug
    const folder = (): MountedFolder => ({ kind: 'folder', name, changedMs: this.changedMs(where) })
    if (this.isFixed(caller, where)) return folder()
    if (!this.canContainFolders(where) && (where.zone !== 'skills' || !haveLegalNames(where.names)))
      return null
    const stat = this.shared.tree.statAnySize(homePathAt(where))
    return stat.kind === 'odd' && stat.odd === 'folder' ? folder() : null
  }

  /** Standard folders can neither be created nor moved nor removed. */
  isFixed(caller: Caller, { project, names, zone }: MountLocation): boolean {
    const [, second] = names
    if (second === undefined)
      return names.length === 0 || (zone !== null && this.topLevelFolderExists(project, zone))
    if (names.length > 2) return false
    if (zone === 'board') return columns.some(({ name }) => name === second)
    if (zone === 'drafts') return this.deps.places.draftFolders(caller.member, project).has(second)
    return zone === 'attachments' && this.attachmentsOf(caller, project, second).length > 0
  }

  canContainFolders({ zone, names }: MountLocation): boolean {
    return (zone === 'documents' || zone === 'files') && names.length > 1 && names.every(isSafeName)
  }

  async file(caller: Caller, where: MountLocation): Promise<MountedFile | null> {
    const slot = this.deps.places.roleOf(caller, where)
    if (slot === 'document') {
      const record = await this.deps.byPath.find(caller.member, where)
      return record && this.documentFiles.of(record)
    }
    return slot === 'file' || this.isReadOnly(caller, where) ? this.deps.plainFiles.find(where) : null
  }

  async list(caller: Caller, where: MountLocation): Promise<Mounted[]> {
    const { zone, names } = where
    if (names.length === 0) return this.topLevelFolders(caller, where)
    if (zone === 'board' && names.length === 1) return columns.map(({ name }) => this.folderIn(where, name))
    if (zone === 'drafts' && names.length === 1) {
      const own = this.deps.places.draftFolders(caller.member, where.project)
      return [...own].sort().map((name) => this.folderIn(where, name))
    }
    if (zone === 'attachments') return this.attached(caller, where)
    if (zone === 'files' || zone === 'skills') return this.entries(caller, where)
    await this.deps.disk.rescanFolder(where.project, where.path)
    return this.entries(caller, where)
  }

  hidden(where: MountLocation, shown: ReadonlySet<string>): string[] {
    if (where.zone !== 'documents' && where.zone !== 'files') return []
    const names = this.shared.tree.names(homePathAt(where)) ?? []
    return names.filter((name) => !shown.has(name) && !isScratchName(name))
  }

  private async topLevelFolders(caller: Caller, where: MountLocation): Promise<Mounted[]> {
    const { project } = where
    const home = hasScope(caller, scopeFor('home', 'read'))
      ? await this.file(caller, { ...where, names: [readmePath], path: readmePath })
      : null
    const open = topLevelFolderNames.filter((zone) => {
      const scopeFolder = scopeFolderFor(zone)
      if (scopeFolder === null) return this.topLevelFolderExists(project, zone)
      return hasScope(caller, scopeFor(kindInFolder[scopeFolder], 'read'))
    })
    return [...(home ? [home] : []), ...open.map((zone) => this.folderIn(where, zone))]
  }

  private async entries(caller: Caller, where: MountLocation): Promise<Mounted[]> {
    const found = new Map<string, Mounted | null>()
    const unsettled: MountLocation[] = []
    const slice = new TimeSlice()
    for (const { name, stat, record } of await this.listings.at(where)) {
      const file = record && this.documentFiles.of(record)
      if (file) {
        found.set(name, this.mayShow(caller, record) ? file : null)
        continue
      }
      while (slice.isOver) await slice.pause()
      const at = { ...where, names: [...where.names, name], path: `${where.path}/${name}` }
      if (stat.kind === 'odd' && stat.odd === 'folder') found.set(name, this.find(caller, at))
      else if (documentPathOf(at.path) === null) {
        found.set(name, await this.file(caller, at))
      } else if (stat.kind === 'file') {
        found.set(name, null)
        unsettled.push(at)
      }
    }
    await this.reconcile(caller, unsettled, found)
    return [...found.values()].filter((node) => node !== null)
  }

  /** Ingests unseen changes, unless there are many. */
  private async reconcile(
    caller: Caller,
    unsettled: MountLocation[],
    found: Map<string, Mounted | null>,
  ): Promise<void> {
    const isFlood = unsettled.length > floodCount
    await Promise.all(
      unsettled.map(async (at) => {
        // The author of an unknown draft is only known from its bytes.
        const isShown = at.zone !== 'drafts'
        const byStat = isShown ? this.deps.plainFiles.find(at) : null
        const node = isFlood ? byStat : await this.file(caller, at).catch(() => byStat)
        found.set(at.names.at(-1)!, node)
      }),
    )
  }

  private mayShow({ member }: Caller, { kind, authorId }: DocumentRecord): boolean {
    return kind !== 'draft' || authorId === member.id
  }

  private attached(caller: Caller, where: MountLocation): Mounted[] {
    const { project, names } = where
    const [, id] = names
    if (id === undefined) {
      return this.shared.catalogue
        .inProject(project.id)
        .filter((record) => this.attachmentsOf(caller, project, record.id).length > 0)
        .map(({ id: name }) => this.folderIn(where, name))
        .sort((one, other) => (one.name < other.name ? -1 : 1))
    }
    return this.attachmentsOf(caller, project, id).flatMap(
      (name) =>
        this.deps.plainFiles.find({ ...where, names: [...names, name], path: `${where.path}/${name}` }) ?? [],
    )
  }

  private attachmentsOf(caller: Caller, project: Project, id: string): string[] {
    const record = this.shared.catalogue.find(id)
    const isShown = record?.projectId === project.id && mayRead(caller, record, this.shared.projects)
    return isShown ? record.attachments.map(({ name }) => name) : []
  }

  private isReadOnly(caller: Caller, { project, names, zone }: MountLocation): boolean {
    const [, second, third] = names
    if (third === undefined || !haveLegalNames(names)) return false
    if (zone === 'attachments') {
      return names.length === 3 && this.attachmentsOf(caller, project, second!).includes(third)
    }
    return zone === 'skills'
  }

  /** Standard folders exist even if missing from the disk, except those created with their contents. */
  private topLevelFolderExists(project: Project, zone: TopLevelFolder): boolean {
    if (zone !== 'attachments' && zone !== 'skills') return true
    return this.changedMs({ project, path: zone }) !== null
  }

  private folderIn({ project, names }: MountLocation, name: string): MountedFolder {
    return { kind: 'folder', name, changedMs: this.changedMs({ project, path: [...names, name].join('/') }) }
  }

  private changedMs(at: Pick<MountLocation, 'project' | 'path'>): number | null {
    return this.shared.tree.folderStamp(homePathAt(at))?.mtimeMs ?? null
  }
}

const haveLegalNames = (names: readonly string[]): boolean =>
  names.every((name) => isSafeName(name) && !isIgnoredName(name))
