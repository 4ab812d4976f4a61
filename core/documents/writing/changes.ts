import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import type { Analysis } from '../../markdown/index.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { type Actor, deletionChange } from '../model/change.ts'
import { trashPathOf } from '../model/document-paths.ts'
import type { DocumentPresence } from '../presence/presence.ts'
import type { ChangeCommitter } from '../recording/change-committer.ts'
import { composeChange, type DocumentLocation } from '../recording/compose-record.ts'

/** Where a write puts a document. */
export interface WriteLocation extends DocumentLocation {
  /** Whether its file is gone from the disk: it is written anew, whatever bytes it had. */
  isMissing?: boolean
  /** Called within the commit, where names that were just given away are seen; throws where it cannot stand there. */
  requireFree?(): void
}

/** What a write is to, once it has been found and is held. */
interface WriteTarget {
  /** The document as it stood; null: it is new. */
  before: DocumentRecord | null
  /** Whether the document is there and stays in its place: to write the bytes that it has changes nothing then. */
  stays: boolean
  /** Asked for only where something is written. @throws WorkspaceError for a place where nothing can be put */
  placement(): WriteLocation
}

/** The one way in which documents are written, moved and deleted over an interface, by an address or by the path of a file. */
export class Changes {
  private readonly shared: DocumentsDeps
  private readonly filing: ChangeCommitter
  private readonly presence: DocumentPresence

  constructor(shared: DocumentsDeps, deps: { filing: ChangeCommitter; presence: DocumentPresence }) {
    this.shared = shared
    this.filing = deps.filing
    this.presence = deps.presence
  }

  /**
   * Writes what was learnt from new bytes, as a member.
   * @param block the id that the block which they wrote has now; left out: they wrote the whole file
   * @throws WorkspaceError `unavailable`, and what `placement` and `requireFree` throw
   */
  async write(
    member: Member,
    target: WriteTarget,
    analysis: Analysis,
    block?: string | null,
  ): Promise<{ record: DocumentRecord; changed: boolean }> {
    const { before, stays } = target
    const changed = !stays || before?.revision !== analysis.revision
    const actor: Actor = { actorId: member.id, via: 'api' }
    const record = changed ? await this.commit(actor, target.placement(), analysis) : before!
    this.presence.recordWrite(member, record, block)
    return { record, changed }
  }

  /**
   * Files a change; its names are made unique inside the commit.
   * @param analysis what new bytes say; null: they stay as they are
   */
  commit(actor: Actor, to: WriteLocation, analysis: Analysis | null): Promise<DocumentRecord> {
    const isWritten = to.isMissing === true || analysis?.revision !== to.before?.revision
    const compose = () => {
      to.requireFree?.()
      return composeChange(this.shared, { ...actor, atMs: this.shared.clock.now() }, to, analysis)
    }
    const bytes = (isWritten && analysis?.stored) || null
    return this.filing.commitAndPlace(bytes, compose, to.kind === 'post' ? 'inside' : 'aside')
  }

  /** Takes a document to the trash that its caller holds, and that the member may delete. */
  async remove(member: Member, project: Project, record: DocumentRecord): Promise<void> {
    const trashPath = trashPathOf(project, record)
    await this.filing.commitAndPlace(null, () => {
      const occasion = { actorId: member.id, via: 'api', atMs: this.shared.clock.now() } as const
      return deletionChange(occasion, record, trashPath)
    })
  }
}
