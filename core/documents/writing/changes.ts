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

export interface WriteLocation extends DocumentLocation {
  /** Writes the file even with the same bytes. */
  isMissing?: boolean
  /** Called within the commit, where names just allotted are seen; throws if the path is taken. */
  requireFree?(): void
  committing?(): void
}

interface WriteTarget {
  before: DocumentRecord | null
  /** The document exists and keeps its path, so that writing the same bytes changes nothing. */
  keepsPath: boolean
  /** Only called if something is written. @throws WorkspaceError if nothing can be placed there */
  location(): WriteLocation
}

export class Changes {
  private readonly shared: DocumentsDeps
  private readonly changeCommitter: ChangeCommitter
  private readonly presence: DocumentPresence

  constructor(shared: DocumentsDeps, deps: { changeCommitter: ChangeCommitter; presence: DocumentPresence }) {
    this.shared = shared
    this.changeCommitter = deps.changeCommitter
    this.presence = deps.presence
  }

  /** `block`: its current id; absent for a whole file. @throws WorkspaceError `unavailable`; as `target` */
  async write(
    member: Member,
    target: WriteTarget,
    analysis: Analysis,
    block?: string | null,
  ): Promise<{ record: DocumentRecord; changed: boolean }> {
    const { before, keepsPath } = target
    const changed = !keepsPath || before?.revision !== analysis.revision
    const actor: Actor = { actorId: member.id, via: 'api' }
    const record = changed ? await this.commit(actor, target.location(), analysis) : before!
    this.presence.recordWrite(member, record, block)
    return { record, changed }
  }

  /** Makes names unique inside the commit. @param analysis null if the bytes stay */
  commit(actor: Actor, to: WriteLocation, analysis: Analysis | null): Promise<DocumentRecord> {
    const isWritten = to.isMissing === true || analysis?.revision !== to.before?.revision
    const compose = () => {
      to.requireFree?.()
      const change = composeChange(this.shared, { ...actor, atMs: this.shared.clock.now() }, to, analysis)
      to.committing?.()
      return change
    }
    const bytes = (isWritten && analysis?.stored) || null
    return this.changeCommitter.commitAndPlace(
      bytes,
      compose,
      to.kind === 'post' ? 'inCommit' : 'afterCommit',
    )
  }

  /** Requires the document's lock, and the permission. */
  async remove(member: Member, project: Project, record: DocumentRecord): Promise<void> {
    const trashPath = trashPathOf(project, record)
    await this.changeCommitter.commitAndPlace(null, () => {
      const origin = { actorId: member.id, via: 'api', atMs: this.shared.clock.now() } as const
      return deletionChange(origin, record, trashPath)
    })
  }
}
