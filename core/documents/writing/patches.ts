import type { Caller } from '../../access/member.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { Edit, EditedText } from '../../markdown/index.ts'
import type { Precondition } from '../../revisions/preconditions.ts'
import type { AddressResolver, LockedAddress, ResolvedDocument } from '../addressing/address-resolver.ts'
import { analyseSent } from '../content/analysis.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { treePath } from '../model/document-paths.ts'
import type { FileAddress, WriteResult } from '../model/types.ts'
import type { DocumentPresence } from '../presence/presence.ts'
import type { Reads } from '../reading/reads.ts'
import { editConflictError } from './edit-conflict.ts'
import type { Writes } from './writes.ts'

/** For a file that changes on the disk while its edits are applied. */
const maxAttempts = 8

interface Patch {
  edits: readonly Edit[]
  /** Of the file as a read shows it. */
  maxBytes: number
  precondition: Precondition
}

type LockedDocument = LockedAddress & ResolvedDocument

interface PatchesDeps {
  addressing: AddressResolver
  disk: DiskSync
  presence: DocumentPresence
  reads: Reads
  writes: Writes
}

export class Patches {
  constructor(
    private readonly shared: DocumentsDeps,
    private readonly deps: PatchesDeps,
  ) {}

  /**
   * Applies all edits in order, or none (`docs/interface.md#editing-a-file`).
   * @throws WorkspaceError `conflict`, `too_large`; as a whole write
   */
  async patch(caller: Caller, address: FileAddress, patch: Patch): Promise<WriteResult> {
    const { precondition } = patch
    const work = (locked: LockedAddress) => {
      const target = { ...locked, ...this.deps.addressing.requirePresent(locked) }
      this.deps.writes.requireChangeable(caller, target, precondition)
      return this.write(caller, target, patch)
    }
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const written = await this.deps.addressing.withLock(caller, address, work, {
        precondition,
        search: 'everywhere',
      })
      if (written) return written
    }
    throw new WorkspaceError('unavailable', 'The file keeps changing on the disk. Try again in a moment.', {
      retryAfterMs: 1000,
    })
  }

  /** Null if the file has changed on the disk since it was read. */
  private async write(caller: Caller, target: LockedDocument, patch: Patch): Promise<WriteResult | null> {
    const { record, project, sinceMs } = target
    const read = this.deps.reads.render(record, project).body
    const { bytes } = await this.apply(target, patch, read)
    if (read.equals(bytes)) {
      this.deps.presence.recordWrite(caller.member, record)
      return this.deps.writes.unchangedResult(project, record)
    }
    const before = this.shared.contents.get(record.id, record.revision)
    const analysis = await analyseSent(this.shared, bytes, record, before, { sinceMs })
    if (!this.deps.disk.isReconciled(record, project)) return null
    return this.deps.writes.write(caller, target, before, analysis)
  }

  private async apply(
    { record, project, sinceMs }: LockedDocument,
    { edits, maxBytes }: Patch,
    read: Uint8Array,
  ): Promise<EditedText> {
    const ownLines = this.deps.reads.ownLines(record, project)
    const { plain } = this.shared.contents.get(record.id, record.revision).digest
    const edited = await this.shared.markdown.edit({ read, ownLines, plain, edits, maxBytes }, sinceMs)
    switch (edited.kind) {
      case 'conflict':
        throw editConflictError(this.shared, record, treePath(project, record), edited)
      case 'refusal':
        throw new WorkspaceError('invalid', edited.message)
      case 'too large':
        throw new WorkspaceError('too_large', `The edited file would be longer than ${maxBytes} bytes.`, {
          fields: { limitBytes: maxBytes },
        })
      default:
        return edited
    }
  }
}
