import type { Caller } from '../../access/member.ts'
import { requireDeletion } from '../../access/permissions.ts'
import { writeUnavailableError } from '../../errors/unavailable.ts'
import { type Precondition, requirePrecondition } from '../../revisions/preconditions.ts'
import type { AddressResolver, ResolvedAddress } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { kindInFolder, parseDocumentPath, pathInHome } from '../model/document-paths.ts'
import type { DeleteResult } from '../model/types.ts'

/** Symbolic links in the places of documents. They are never followed and are no documents, but they can be removed. */
export class SymbolicLinks {
  private readonly deps: DocumentsDeps
  private readonly addressing: AddressResolver
  private readonly disk: DiskSync

  constructor(deps: DocumentsDeps, addressing: AddressResolver, disk: DiskSync) {
    this.deps = deps
    this.addressing = addressing
    this.disk = disk
  }

  /**
   * Removes the link that is called as an address says, never what it leads to. To be asked where the address means no
   * document, by name, title or id: DELETE removes what GET shows, and a link only where that is nothing. There is no
   * event and nothing in the trash, since no document was there. Nobody is known to have made it: its removal is left to
   * those who care for the workspace.
   * @returns null where no link is called so
   * @throws WorkspaceError `forbidden` for anyone but an owner or admin; `conflict` for a condition on what the file
   *   holds; `unavailable` where the disk refuses
   */
  async remove(
    caller: Caller,
    target: ResolvedAddress,
    precondition: Precondition,
  ): Promise<DeleteResult | null> {
    const path = this.find(caller, target)
    if (path === null) return null
    requireDeletion(caller.member, null, 'symbolic link')
    requirePrecondition(precondition, null, kindInFolder[target.address.folder])
    const { tree } = this.deps
    const link = pathInHome(target.project, path)
    try {
      if (!tree.removeLink(link)) return null
      await tree.flush(link)
    } catch (error) {
      throw writeUnavailableError(error)
    }
    // What is left alone is listed, and this is there no more.
    await this.disk.checkPath(link)
    return { id: null, filename: parseDocumentPath(path)!.filename, deleted: true }
  }

  /** Where it lies within the project. */
  private find(caller: Caller, { project, address, column }: ResolvedAddress): string | null {
    const paths = this.addressing.candidateFolders(caller, project, address, column)
    return paths.find((path) => this.deps.tree.isLink(pathInHome(project, path))) ?? null
  }
}
