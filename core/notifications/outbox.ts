import type { Database } from '../../data/database.ts'
import type { Mail, MailMessage } from '../../data/outbound/mail.ts'
import type { MailOutboxTable, OutgoingMailRow } from '../../data/tables/mail.ts'
import type { Member } from '../access/member.ts'
import type { NewId } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'

interface OutboxDeps {
  database: Database
  outbox: MailOutboxTable
  members: MemberStore
  mail: Mail
  clock: Clock
  newId: NewId
  onProblem: (message: string, error?: unknown) => void
}

const minuteMs = 60_000

/** Delays after failures; after the last the mail is given up. */
const backoffMs = [1, 5, 30, 2 * 60, 12 * 60].map((minutes) => minutes * minuteMs)

const maxRetryMs = Math.max(...backoffMs)

const maxConcurrentSends = 4

export const canReceiveMail = ({ type, status, email }: Member): boolean =>
  type === 'human' && status === 'active' && email !== ''

export const wantsMail = (member: Member): boolean => canReceiveMail(member) && member.emailNotifications

/**
 * Mail that is not accepted yet. It is sent twice, with the same Message-ID, only if the process ends after
 * the mail server accepted it and before that is recorded.
 */
export class Outbox {
  private readonly deps: OutboxDeps
  private readonly timer: DueTimer
  private readonly abortController = new AbortController()
  /** By id, so that a mail that hangs delays only itself. */
  private readonly inFlight = new Map<string, Promise<void>>()
  private readonly accepted = new Set<string>()
  private pausedUntilMs = 0
  private hasFailed = false

  constructor(deps: OutboxDeps) {
    this.deps = deps
    this.timer = new DueTimer(
      deps.clock,
      () => this.sendDue(),
      (error) => deps.onProblem('Mail could not be read from the outbox; this is tried again', error),
    )
  }

  start(): void {
    this.timer.dueAt(this.deps.clock.now())
  }

  /** Waits briefly for mail in progress; the next start sends the rest. */
  async stop(): Promise<void> {
    this.abortController.abort()
    await this.timer.stop()
    await Promise.all(this.inFlight.values())
  }

  /** Must be called inside a commit. Requested mail goes to the address in `requested`, until it is useless. */
  enqueue(
    memberId: string,
    write: (id: string) => MailMessage,
    requested: { address: string; untilMs: number } | null = null,
  ): void {
    const { clock, newId, outbox } = this.deps
    const id = newId('mail')
    const nextMs = clock.now()
    outbox.insert({
      id,
      memberId,
      message: JSON.stringify(write(id)),
      attempts: 0,
      nextMs,
      requestedUntilMs: requested?.untilMs ?? null,
      address: requested?.address ?? null,
    })
    // The timer fires in a later turn, after the commit.
    this.timer.dueAt(nextMs)
  }

  private async sendDue(): Promise<number | null> {
    const { clock, database, outbox } = this.deps
    const nowMs = clock.now()
    // A clock that was ahead may have postponed retries.
    this.pausedUntilMs = Math.min(this.pausedUntilMs, nowMs + minuteMs)
    if (nowMs < this.pausedUntilMs) return this.pausedUntilMs
    const latestMs = nowMs + maxRetryMs
    if ((outbox.lastDueMs() ?? 0) > latestMs) await database.commit(() => outbox.hasten(latestMs))
    const rows = outbox
      .due(nowMs, 2 * maxConcurrentSends)
      .filter(({ id }) => !this.inFlight.has(id))
      .slice(0, maxConcurrentSends - this.inFlight.size)
    for (const row of rows) this.inFlight.set(row.id, this.sendAndRecord(row))
    return outbox.nextDueMs(nowMs)
  }

  private async sendAndRecord(row: OutgoingMailRow): Promise<void> {
    const { clock, onProblem } = this.deps
    try {
      await this.send(row)
    } catch (error) {
      onProblem('The result of sending a mail could not be recorded; retrying', error)
      this.pausedUntilMs = clock.now() + minuteMs
    } finally {
      this.inFlight.delete(row.id)
      this.timer.dueAt(clock.now())
    }
  }

  private async send(row: OutgoingMailRow): Promise<void> {
    const { id, memberId } = row
    const { clock, database, mail, members, outbox } = this.deps
    const member = members.find(memberId)
    const remove = () => database.commit(() => outbox.remove(id))
    if (!member || !this.isStillDeliverable(row, member)) {
      await remove()
      return
    }
    if (!this.accepted.has(id)) {
      const { name, email } = member
      const message = JSON.parse(row.message) as MailMessage
      const outcome = await mail.send(
        message,
        { name, address: row.address ?? email },
        this.abortController.signal,
      )
      if (outcome.kind === 'failed') {
        // Aborted by a shutdown, it has not failed: the next start sends it.
        if (this.abortController.signal.aborted) return
        const delayMs = outcome.isFinal ? undefined : backoffMs[row.attempts]
        this.report(outcome.reason, delayMs === undefined ? memberId : null)
        if (delayMs === undefined) await remove()
        else await database.commit(() => outbox.postpone(id, row.attempts + 1, clock.now() + delayMs))
        return
      }
      this.hasFailed = false
      this.accepted.add(id)
    }
    await remove()
    this.accepted.delete(id)
  }

  private isStillDeliverable({ address, requestedUntilMs }: OutgoingMailRow, member: Member): boolean {
    if (requestedUntilMs === null) return wantsMail(member)
    return (address !== null || canReceiveMail(member)) && this.deps.clock.now() < requestedUntilMs
  }

  /** @param failedMemberId the member who will not receive the mail */
  private report(reason: string, failedMemberId: string | null): void {
    if (failedMemberId !== null) this.deps.onProblem(`Mail to ${failedMemberId} was given up: ${reason}`)
    else if (!this.hasFailed) this.deps.onProblem(`Mail could not be sent; this is tried again: ${reason}`)
    this.hasFailed = true
  }
}
