import { Signal } from '../../data/signal.ts'
import type { MemberStore } from '../members/member-store.ts'
import { wantsMail } from './outbox.ts'

/** When mentions are mailed: those of some time are gathered into one mail. */
export class MailSchedule {
  private readonly scheduled = new Signal<number>()
  private readonly members: Pick<MemberStore, 'find'>
  /** For how long mentions are gathered. */
  readonly delayMs: number

  constructor(members: Pick<MemberStore, 'find'>, delayMs: number) {
    this.members = members
    this.delayMs = delayMs
  }

  /** Calls `listener` inside each commit that makes a mail due, with the time (Unix milliseconds). */
  onScheduled(listener: (dueMs: number) => void): void {
    this.scheduled.listen(listener)
  }

  /** When a mention of a member at this time is to be mailed; null: not at all. To be called inside a commit. */
  dueMs(memberId: string, atMs: number): number | null {
    const member = this.members.find(memberId)
    if (!member || !wantsMail(member)) return null
    const dueMs = atMs + this.delayMs
    this.scheduled.emit(dueMs)
    return dueMs
  }
}
