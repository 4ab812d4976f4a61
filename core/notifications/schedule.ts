import { Signal } from '../../data/signal.ts'
import type { NotificationKind } from '../inbox/kinds.ts'
import type { MemberStore } from '../members/member-store.ts'
import { wantsMail } from './outbox.ts'

/** Decides when mentions and notices are mailed: those within `delayMs` share a mail. */
export class MailSchedule {
  private readonly scheduled = new Signal<number>()

  constructor(
    private readonly members: Pick<MemberStore, 'find'>,
    readonly delayMs: number,
    private readonly isMailed: (memberId: string, kind: NotificationKind) => boolean = () => true,
  ) {}

  /** Calls `listener` inside each commit that makes a mail due. */
  onScheduled(listener: (dueMs: number) => void): void {
    this.scheduled.listen(listener)
  }

  /** Must be called inside a commit. Returns null if nothing is mailed. */
  dueMs(memberId: string, atMs: number, kind: NotificationKind): number | null {
    const member = this.members.find(memberId)
    if (!member || !wantsMail(member) || !this.isMailed(memberId, kind)) return null
    const dueMs = atMs + this.delayMs
    this.scheduled.emit(dueMs)
    return dueMs
  }
}
