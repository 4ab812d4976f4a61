import { domainToASCII } from 'node:url'
import type { Database } from '../../data/database.ts'
import type { Mail, MailMessage } from '../../data/outbound/mail.ts'
import type { InboxTable } from '../../data/tables/inbox.ts'
import type { MailOutboxTable } from '../../data/tables/mail.ts'
import type { NoticesTable } from '../../data/tables/notices.ts'
import type { Member } from '../access/member.ts'
import type { NewId } from '../ids.ts'
import type { UnreadMentions } from '../inbox/unread-mentions.ts'
import type { UnreadNotices } from '../inbox/unread-notices.ts'
import type { MemberStore } from '../members/member-store.ts'
import { unsubscribePath } from '../paths.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import {
  changedAddressText,
  type MailReason,
  type MailText,
  notificationsText,
  renderMail,
} from './notification-mail.ts'
import { Outbox, wantsMail } from './outbox.ts'
import type { MailSchedule } from './schedule.ts'
import type { UnsubscribeLinks } from './unsubscribe-links.ts'

export interface NotificationsDeps {
  database: Database
  inboxRows: InboxTable
  outbox: MailOutboxTable
  unreadMentions: UnreadMentions
  notices: NoticesTable
  unreadNotices: UnreadNotices
  members: MemberStore
  unsubscribeLinks: UnsubscribeLinks
  mail: Mail
  from: string
  schedule: MailSchedule
  clock: Clock
  newId: NewId
  identity: { readonly name: string }
  pageUrl: (path: string) => string
  onProblem: (message: string, error?: unknown) => void
}

/**
 * Mails people about unread mentions and notices (`docs/operations.md#mail`). The commit that records one
 * sets when it is mailed; those recorded until then share the mail.
 */
export class Notifications {
  private readonly deps: NotificationsDeps
  private readonly outbox: Outbox
  private readonly mentionTimer: DueTimer
  private isStarted = false

  constructor(deps: NotificationsDeps) {
    this.deps = deps
    this.outbox = new Outbox(deps)
    this.mentionTimer = new DueTimer(
      deps.clock,
      () => this.collectDue(),
      (error) => deps.onProblem('Mail could not be written; this is tried again', error),
    )
    deps.schedule.onScheduled((dueMs) => {
      // The timer fires in a later turn, after the commit.
      if (this.isStarted) this.mentionTimer.dueAt(dueMs)
    })
  }

  /** Continues with what was due at the last stop. Must be called after the base URL is known. */
  start(): void {
    this.isStarted = true
    this.mentionTimer.dueAt(this.deps.clock.now())
    this.outbox.start()
  }

  async stop(): Promise<void> {
    this.isStarted = false
    await this.mentionTimer.stop()
    await this.outbox.stop()
  }

  /** Sends a mail regardless of preferences, until it is useless. Must be called inside a commit. */
  sendRequested(member: Member, text: MailText, untilMs: number): void {
    this.writeTo(member, { text, reason: 'requested', untilMs })
  }

  /** Sent regardless of preferences. Must be called inside the commit of the change. */
  notifyFormerAddress(former: Member): void {
    if (former.type !== 'human' || former.email === '') return
    const { clock, identity } = this.deps
    const text = changedAddressText(former, { workspaceName: identity.name, atMs: clock.now() })
    this.writeTo(former, { text, reason: 'former', untilMs: clock.now() + changeNoticeMs })
  }

  private writeTo(
    member: Member,
    { text, reason, untilMs }: { text: MailText; reason: MailReason; untilMs: number },
  ): void {
    const { clock, from, identity } = this.deps
    this.outbox.enqueue(
      member.id,
      (id): MailMessage => ({
        ...renderMail(text, { workspaceName: identity.name, reason, unsubscribeUrl: null }),
        messageId: mailIdFrom(from, id),
        references: [],
        dateMs: clock.now(),
        unsubscribeUrl: null,
      }),
      { address: member.email, untilMs },
    )
  }

  private async collectDue(): Promise<number | null> {
    const { clock, database, inboxRows, notices, schedule } = this.deps
    const latestMs = clock.now() + schedule.delayMs
    // A clock that was ahead may have postponed mails.
    if ((inboxRows.lastMailMs() ?? 0) > latestMs) {
      await database.commit(() => inboxRows.hastenMail(latestMs))
    }
    if ((notices.lastMailMs() ?? 0) > latestMs) await database.commit(() => notices.hastenMail(latestMs))
    let failure: unknown = null
    const nowMs = clock.now()
    for (const memberId of new Set([...inboxRows.membersToMail(nowMs), ...notices.membersToMail(nowMs)])) {
      if (!this.isStarted) break
      try {
        await database.commit(() => this.queueMentions(memberId))
      } catch (error) {
        failure = error
      }
    }
    if (failure !== null) throw failure
    const dueMs = [inboxRows.nextMailMs(), notices.nextMailMs()].filter((timeMs) => timeMs !== null)
    return dueMs.length > 0 ? Math.min(...dueMs) : null
  }

  /** Omits what was read, deleted or hidden; if nothing is left, no mail is sent. */
  private queueMentions(memberId: string): void {
    const { inboxRows, members, notices, unreadMentions, unreadNotices, identity } = this.deps
    const records = inboxRows.unmailed(memberId)
    const noticeRows = notices.unmailed(memberId)
    inboxRows.forgetMail(memberId)
    notices.forgetMail(memberId)
    const member = members.find(memberId)
    if (!member || !wantsMail(member)) return
    const mentions = unreadMentions.visible(records, member)
    const noticeViews = unreadNotices.visible(noticeRows, member).map(({ view }) => view)
    if (mentions.length === 0 && noticeViews.length === 0) return
    const placeIds = new Set([...mentions, ...noticeViews].map(({ placeId }) => placeId))
    const mentionsWithExcerpts = unreadMentions.withExcerpts(mentions, member)
    this.write(
      member,
      notificationsText(mentionsWithExcerpts, noticeViews, { workspaceName: identity.name }),
      [...placeIds].slice(0, maxReferences),
    )
  }

  /** Must be called inside a commit. Mails with the same `subjectIds` form a thread. */
  private write(member: Member, text: MailText, subjectIds: readonly string[]): void {
    const { clock, from, pageUrl, unsubscribeLinks, identity } = this.deps
    const memberId = member.id
    const unsubscribeUrl = pageUrl(unsubscribePath(unsubscribeLinks.tokenFor(memberId)))
    this.outbox.enqueue(
      memberId,
      (id): MailMessage => ({
        ...renderMail(text, { workspaceName: identity.name, reason: 'member', unsubscribeUrl }),
        messageId: mailIdFrom(from, id),
        references: subjectIds.map((id) => mailIdFrom(from, id)),
        dateMs: clock.now(),
        unsubscribeUrl,
      }),
    )
  }
}

/** How long the notice of a changed address is tried: longer than all attempts take. */
const changeNoticeMs = 24 * 60 * 60 * 1000

/** Keeps the header far below the limits of mail servers. */
const maxReferences = 20

const mailIdFrom = (from: string, id: string): string => `<${id}@${domainOf(from)}>`

const domainOf = (from: string): string =>
  domainToASCII(/@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? '') || 'localhost'
