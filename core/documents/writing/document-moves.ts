import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Caller } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { filenameOf, pagePath, treePath } from '../model/document-paths.ts'
import type { Address, DocumentMove } from '../model/types.ts'
import { availableFilePath } from './available-file-path.ts'
import type { Changes } from './changes.ts'
import { subFolderOf } from './destinations.ts'

/** Moves documents between the folders of a project. */
export class DocumentMoves {
  private readonly shared: DocumentsDeps
  private readonly addressing: AddressResolver
  private readonly changes: Changes

  constructor(shared: DocumentsDeps, deps: { addressing: AddressResolver; changes: Changes }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.changes = deps.changes
  }

  /**
   * The file keeps its name, its bytes and its id.
   * @param toFolder `''` for the top folder; made if it is missing
   * @throws WorkspaceError `invalid` for a name that a folder cannot have, `conflict` if a file is in its place
   */
  async move(caller: Caller, address: Address, toFolder: string): Promise<DocumentMove> {
    const names = toFolder.split('/').filter((name) => name.trim() !== '')
    const subFolder = subFolderOf({ ...address, name: [...names, 'x'].join('/') })
    return this.addressing.withLockOnExisting(caller, address, async ({ record, project }) => {
      const folder = this.folderIn(project, subFolder)
      const moved = record.path !== `${folder}/${record.path.split('/').at(-1)}`
      return this.resultOf(
        project,
        moved ? await this.commit(caller, project, record, folder) : record,
        moved,
      )
    })
  }

  private folderIn(project: Project, subFolder: string): string {
    const folder = subFolder === '' ? 'documents' : `documents/${subFolder}`
    return this.shared.catalogue.folders.spelling(project.id, folder) ?? folder
  }

  private commit(
    { member }: Caller,
    project: Project,
    record: DocumentRecord,
    folder: string,
  ): Promise<DocumentRecord> {
    const to = {
      before: record,
      stood: this.shared.contents.get(record.id, record.revision),
      project,
      kind: 'document',
      column: null,
      authorId: record.authorId,
      stamp: record.stamp,
      path: () =>
        availableFilePath(this.shared, project, `${folder}/${record.path.split('/').at(-1)}`, record.path),
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
