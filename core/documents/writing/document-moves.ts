import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { illegalNameReason, isIgnoredName, nameKey } from '../../../data/tree/index.ts'
import type { Caller } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import { isSameFile } from '../addressing/same-file.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { filenameOf, isMarkdown, pagePath, pathInHome, treePath } from '../model/document-paths.ts'
import type { Address, DocumentMove } from '../model/types.ts'
import { availableFilePath } from './available-file-path.ts'
import type { Changes } from './changes.ts'
import { subFolderOf } from './destinations.ts'

export class DocumentMoves {
  private readonly shared: DocumentsDeps
  private readonly addressing: AddressResolver
  private readonly changes: Changes

  constructor(shared: DocumentsDeps, deps: { addressing: AddressResolver; changes: Changes }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.changes = deps.changes
  }

  /** Keeps the file's name; creates missing folders. @throws WorkspaceError `invalid`, `conflict` */
  async move(caller: Caller, address: Address, toFolder: string): Promise<DocumentMove> {
    const names = toFolder.split('/').filter((name) => name.trim() !== '')
    const subFolder = subFolderOf({ ...address, name: [...names, 'x'].join('/') })
    return this.addressing.withLockOnExisting(caller, address, async ({ record, project }) => {
      const newPath = `${this.folderIn(project, subFolder)}/${record.path.split('/').at(-1)}`
      const moved = record.path !== newPath
      const path = () => availableFilePath(this.shared, project, newPath, record.path)
      return this.resultOf(project, moved ? await this.commit(caller, project, record, path) : record, moved)
    })
  }

  /** Keeps the title; creates missing folders. @throws WorkspaceError `invalid`, `conflict` */
  async rename(caller: Caller, address: Address, to: string): Promise<DocumentMove> {
    const names = to.split('/').filter((name) => name.trim() !== '')
    const last = names.pop() ?? ''
    const filename = isMarkdown(last) ? last : `${last}.md`
    requireFilename(filename)
    const subFolder = subFolderOf({ ...address, name: [...names, 'x'].join('/') })
    return this.addressing.withLockOnExisting(caller, address, async ({ record, project }) => {
      const path = `${this.folderIn(project, subFolder)}/${filename}`
      const moved = record.path !== path
      const free = () => this.requireFree(project, path, record)
      return this.resultOf(project, moved ? await this.commit(caller, project, record, free) : record, moved)
    })
  }

  /** Must be called inside a commit. A name may be spelled in another case. */
  private requireFree(project: Project, path: string, { path: own }: DocumentRecord): string {
    const { tree } = this.shared
    const isRespelled = nameKey(path) === nameKey(own)
    const isFree = isRespelled
      ? tree.stat(pathInHome(project, path)).kind === 'missing' || isSameFile(tree, project, own, path)
      : availableFilePath(this.shared, project, path) === path
    if (isFree) return path
    throw new WorkspaceError(
      'conflict',
      `There is a file ${JSON.stringify(path.slice('documents/'.length))} already. Choose another name.`,
    )
  }

  private folderIn(project: Project, subFolder: string): string {
    const folder = subFolder === '' ? 'documents' : `documents/${subFolder}`
    return this.shared.catalogue.folders.spelling(project.id, folder) ?? folder
  }

  private commit(
    { member }: Caller,
    project: Project,
    record: DocumentRecord,
    path: () => string,
  ): Promise<DocumentRecord> {
    const to = {
      before: record,
      contentBefore: this.shared.contents.get(record.id, record.revision),
      project,
      kind: 'document',
      column: null,
      authorId: record.authorId,
      stamp: record.stamp,
      path,
    } as const
    return this.changes.commit({ actorId: member.id, via: 'api' }, to, null)
  }

  private resultOf(project: Project, record: DocumentRecord, moved: boolean): DocumentMove {
    return {
      id: record.id,
      filename: filenameOf(record),
      path: treePath(project, record),
      url: this.shared.pageUrl(pagePath(project, record)),
      moved,
    }
  }
}

function requireFilename(name: string): void {
  const problem =
    illegalNameReason(name) ?? (isIgnoredName(name) ? 'is a name that tools use for their own files' : null)
  if (problem === null) return
  throw new WorkspaceError('invalid', `A file cannot be named ${JSON.stringify(name)}: it ${problem}.`)
}
