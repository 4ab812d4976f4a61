import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { FormerNameKind } from '../../../data/tables/former-names.ts'
import { isIgnoredName, isSafeName, nameKey } from '../../../data/tree/index.ts'
import type { Caller } from '../../access/member.ts'
import { maySeeDraft, requireScope } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { requireWritable } from '../../projects/archiving.ts'
import type { Precondition } from '../../revisions/preconditions.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { type ColumnName, requireColumn } from '../model/columns.ts'
import {
  columnOf,
  kindInFolder,
  kindOf,
  nounIn,
  parseDocumentPath,
  pathInHome,
  readmePath,
  treePath,
} from '../model/document-paths.ts'
import { scopes } from '../model/scopes.ts'
import type { AddressFolder, FileAddress } from '../model/types.ts'
import type { DocumentLocker } from './document-locker.ts'

export interface ResolvedAddress {
  project: Project
  address: FileAddress
  column: ColumnName | null
  record: DocumentRecord | null
  name: 'current' | FormerNameKind
}

/** `sinceMs`: when the request arrived (`performance.now()`); requests are served in that order. */
export type LockedAddress = ResolvedAddress & { sinceMs: number }

export type ResolvedDocument = ResolvedAddress & { record: DocumentRecord }

interface ResolveOptions {
  search?: 'everywhere' | 'name'
  /** Whether to ignore the addresses that new documents were written to. */
  ignoresRequested?: boolean
}

export class AddressResolver {
  private readonly shared: DocumentsDeps
  private readonly disk: DiskSync
  private readonly locker: DocumentLocker

  constructor(shared: DocumentsDeps, deps: { disk: DiskSync; locker: DocumentLocker }) {
    this.shared = shared
    this.disk = deps.disk
    this.locker = deps.locker
  }

  /** Checks access, the key's scope, and that the project can be used. */
  requireProject(caller: Caller, slug: string, folder: AddressFolder, intent: 'read' | 'write'): Project {
    requireScope(caller, scopes[folder][intent])
    const project = this.shared.projects.require(caller.member, slug)
    if (intent === 'write') requireWritable(project)
    this.disk.requireUsable(project)
    return project
  }

  /** Ingests an unknown file of that name. @throws WorkspaceError `forbidden`, `not_found`, `bad_request` */
  async resolveExisting(
    caller: Caller,
    address: FileAddress,
    intent: 'read' | 'write',
    { search = 'everywhere', ignoresRequested = false }: ResolveOptions = {},
  ): Promise<ResolvedAddress> {
    const find = () => this.lookUp(caller, address, intent, ignoresRequested)
    const target = find()
    if (target.record) {
      const isReconciled = this.disk.isReconciled(target.record, target.project)
      if (isReconciled && target.name === 'current') return target
      if (!isReconciled) await this.disk.reconcile(target.record)
      const reconciled = this.unlessMissing(find())
      if (reconciled.record && reconciled.name === 'current') return reconciled
    }
    // The exact name first, so that this does not wait for other files that arrive in the folder.
    for (const path of this.candidatePaths(caller, target.project, address, target.column)) {
      await this.disk.checkPath(pathInHome(target.project, path))
    }
    const checked = this.unlessMissing(find())
    if (checked.record && checked.name === 'current') return checked
    // No file has the name now, so that a read need not look into every folder of the project.
    if (intent === 'read' && checked.record && this.disk.isReconciled(checked.record, checked.project))
      return checked
    if (search === 'everywhere' && address.folder !== 'home')
      await this.disk.rescanFolder(target.project, address.folder)
    const { record } = find()
    // A write to a name whose file has just vanished gets that name, not a second one.
    if (intent === 'write' && record && this.disk.isMissing(record)) await this.disk.confirmDeletion(record)
    return this.unlessMissing(find())
  }

  /** @throws WorkspaceError `not_found`, with the path of a card elsewhere; `conflict` under a former name */
  async require(caller: Caller, address: FileAddress, intent: 'read' | 'write'): Promise<ResolvedDocument> {
    const found = this.requirePresent(await this.resolveExisting(caller, address, intent))
    if (intent === 'write') requireCurrentName(caller, found, { kind: 'none' })
    return found
  }

  /** Null if `resolveExisting` is needed. Call it before any await: the requests of a turn share a `stat`. */
  resolveFromCache(caller: Caller, address: FileAddress): ResolvedDocument | null {
    const target = this.lookUp(caller, address, 'read')
    if (!target.record || target.name !== 'current') return null
    if (!this.disk.isReconciledCached(target.record, target.project)) return null
    return this.requirePresent(target)
  }

  /**
   * Locks the document during `work`. With `search` `name` no folder is listed.
   * @throws WorkspaceError `unavailable` if the file keeps changing; `conflict` under a former name,
   * unless the change is conditional or the caller made the current revision
   */
  async withLock<T>(
    caller: Caller,
    address: FileAddress,
    work: (locked: LockedAddress) => Promise<T>,
    options: ResolveOptions & { precondition?: Precondition } = {},
  ): Promise<T> {
    const { search = 'name', ignoresRequested = false, precondition = { kind: 'none' } } = options
    const resolveOptions = { search, ignoresRequested }
    return this.locker.withLock(
      {
        find: async () => [await this.resolveExisting(caller, address, 'write', resolveOptions)],
        resolveNow: () => [this.unlessMissing(this.lookUp(caller, address, 'write', ignoresRequested))],
        namesOf: ([found]) => [found!.record?.id ?? lockNameOf(found!)],
      },
      async ([target], sinceMs) => {
        requireCurrentName(caller, target!, precondition)
        return work({ ...target!, sinceMs })
      },
    )
  }

  withLockOnExisting<T>(
    caller: Caller,
    address: FileAddress,
    work: (found: ResolvedDocument & LockedAddress) => Promise<T>,
  ): Promise<T> {
    const onFound = (locked: LockedAddress) =>
      work({ ...this.requirePresent(locked), sinceMs: locked.sinceMs })
    return this.withLock(caller, address, onFound, { search: 'everywhere' })
  }

  /** Returns the document last created by a write to the address, unless a current or former name matches. */
  requestedDocument(caller: Caller, address: FileAddress): DocumentRecord | null {
    const { name, record } = this.lookUp(caller, address, 'write')
    return name === 'requested' ? record : null
  }

  private lookUp(
    caller: Caller,
    address: FileAddress,
    intent: 'read' | 'write',
    ignoresRequested = false,
  ): ResolvedAddress {
    const project = this.requireProject(caller, address.project, address.folder, intent)
    const column = address.folder === 'board' ? requireColumn(address.column ?? '') : null
    const record = this.findRecord(caller, project, address, column)
    const former = record ? null : this.findByFormerName(caller, project, address, column)
    const isIgnored = ignoresRequested && former?.name === 'requested'
    return { project, address, column, ...((!isIgnored && former) || { record, name: 'current' }) }
  }

  private unlessMissing(target: ResolvedAddress): ResolvedAddress {
    return target.record && this.disk.isMissing(target.record) ? { ...target, record: null } : target
  }

  requirePresent(target: ResolvedAddress): ResolvedDocument {
    const { record, column, project } = target
    if (!record) throw this.notFound(target)
    if (column && columnOf(record) !== column) {
      throw new WorkspaceError(
        'not_found',
        `The card is not in ${column}; it is at ${treePath(project, record)}.`,
      )
    }
    return { ...target, record }
  }

  private findRecord(
    caller: Caller,
    project: Project,
    { folder, name }: FileAddress,
    column: ColumnName | null,
  ): DocumentRecord | null {
    const options = {
      ...(folder === 'drafts' ? { authorId: caller.member.id } : {}),
      ...(column ? { column } : {}),
    }
    const { catalogue } = this.shared
    if (folder === 'home') return catalogue.ofKind(project.id, 'home')[0] ?? null
    return catalogue.resolve(project.id, kindInFolder[folder], name, options)
  }

  candidatePaths(
    caller: Caller,
    project: Project,
    { folder, name }: Pick<FileAddress, 'folder' | 'name'>,
    column: ColumnName | null,
  ): string[] {
    if (folder === 'home') return [readmePath]
    const filename = /\.md$/i.test(name) ? name : `${name}.md`
    const folders =
      folder === 'drafts' ? [...this.draftFolders(caller, project)] : [column ? `board/${column}` : folder]
    return folders.map((within) => `${within}/${filename}`)
  }

  candidateFolders(
    caller: Caller,
    project: Project,
    address: Pick<FileAddress, 'folder' | 'name'>,
    column: ColumnName | null,
  ): string[] {
    return this.candidatePaths(caller, project, address, column).filter(
      (path) => isSafeName(path) && !path.split('/').some(isIgnoredName) && parseDocumentPath(path) !== null,
    )
  }

  private findByFormerName(
    caller: Caller,
    project: Project,
    { folder, name }: FileAddress,
    column: ColumnName | null,
  ): Pick<ResolvedDocument, 'record' | 'name'> | null {
    const { catalogue, formerNames, clock } = this.shared
    for (const path of this.candidatePaths(caller, project, { folder, name }, column)) {
      const found = formerNames.find(project.id, nameKey(path), clock.now())
      const record = found ? catalogue.find(found.documentId) : null
      if (!found || record?.kind !== kindOf(folder)) continue
      if (folder !== 'drafts' || maySeeDraft(caller.member, record.authorId))
        return { record, name: found.kind }
    }
    return null
  }

  /** The path of an address does not include the author's folder. */
  private draftFolders({ member }: Caller, project: Project): Set<string> {
    const own = this.shared.catalogue.ofKind(project.id, 'draft', member.id)
    return new Set(own.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))
  }

  private notFound({ project, address: { folder, name, column } }: ResolvedAddress): WorkspaceError {
    const treeFolder = {
      posts: 'posts',
      drafts: 'drafts',
      documents: 'docs',
      home: 'docs',
      board: `board/${column}`,
    }[folder]
    return new WorkspaceError('not_found', `There is no ${nounIn(folder)} ${JSON.stringify(name)}.`, {
      next: { step: 'list documents', project: project.slug, folder: treeFolder },
    })
  }
}

const lockNameOf = ({ project, address: { folder, name } }: ResolvedAddress): string =>
  `${project.id} ${folder} ${nameKey(name).replace(/\.md$/, '')}`

/** Under a former name, a caller could overwrite others' changes unseen. @throws WorkspaceError `conflict` */
function requireCurrentName(
  { member }: Caller,
  { address, name, project, record }: ResolvedAddress,
  precondition: Precondition,
): void {
  if (name === 'current' || !record || precondition.kind !== 'none' || record.editorId === member.id) return
  const path = treePath(project, record)
  throw new WorkspaceError(
    'conflict',
    `${JSON.stringify(address.name)} is a former name: the ${nounIn(address.folder)} is at ${path} now.`,
    { fields: { path }, next: { step: 'write at the current path' } },
  )
}
