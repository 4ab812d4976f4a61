import type { Caller } from '../../access/member.ts'
import { requireDeletion } from '../../access/permissions.ts'
import { writeUnavailableError } from '../../errors/unavailable.ts'
import { type Precondition, requirePrecondition } from '../../revisions/preconditions.ts'
import type { AddressResolver, ResolvedAddress } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { nounIn, parseDocumentPath, pathInHome } from '../model/document-paths.ts'
import type { DeleteResult } from '../model/types.ts'

/** Symbolic links are never followed and are not documents, but they can be removed. */
export class SymbolicLinks {
  constructor(
    private readonly deps: DocumentsDeps,
    private readonly addressing: AddressResolver,
    private readonly disk: DiskSync,
  ) {}

  /**
   * Removes the link, never its target; null if there is none. Only owners and admins may: it has no author.
   * @throws WorkspaceError `forbidden`; `conflict` for a condition on the content; `unavailable`
   */
  async remove(
    caller: Caller,
    target: ResolvedAddress,
    precondition: Precondition,
  ): Promise<DeleteResult | null> {
    const path = this.find(caller, target)
    if (path === null) return null
    requireDeletion(caller.member, null, 'symbolic link')
    requirePrecondition(precondition, null, nounIn(target.address.folder))
    const { tree } = this.deps
    const link = pathInHome(target.project, path)
    try {
      if (!tree.removeLink(link)) return null
      await tree.flush(link)
    } catch (error) {
      throw writeUnavailableError(error)
    }
    // Removes it from the list of skipped files.
    await this.disk.checkPath(link)
    return { id: null, filename: parseDocumentPath(path)!.filename, deleted: true }
  }

  private find(caller: Caller, { project, address, column }: ResolvedAddress): string | null {
    const paths = this.addressing.candidateFolders(caller, project, address, column)
    return paths.find((path) => this.deps.tree.isLink(pathInHome(project, path))) ?? null
  }
}
