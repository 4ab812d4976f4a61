import { domainToASCII } from 'node:url'
import type { Database } from '../../data/database.ts'
import type { Mail, MailMessage } from '../../data/outbound/mail.ts'
import type { InboxTable } from '../../data/tables/inbox.ts'
import type { MailOutboxTable } from '../../data/tables/mail.ts'
import type { Member } from '../access/member.ts'
import type { NewId } from '../ids.ts'
import type { UnreadMentions } from '../inbox/unread-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import { unsubscribePath } from '../paths.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import {
  changedAddressText,
  type MailReason,
  type MailText,
  mentionsText,
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
  members: MemberStore
  unsubscribing: UnsubscribeLinks
  mail: Mail
  /** The sender: an address, or a name and behind it the address in angle brackets. */
  from: string
  schedule: MailSchedule
  clock: Clock
  newId: NewId
  /** The workspace, whose name may change. */
  identity: { readonly name: string }
  /** Absolute address of a page, from its path. */
  pageUrl: (path: string) => string
  onProblem: (message: string, error?: unknown) => void
}

/**
 * Mail to people about what they have not read (`docs/operations.md#mail`). The commit that tells
 * somebody of a mention says when it is to be mailed. What is told to them until the first of these times goes into
 * one letter, as it stands then; that is written in one commit with the note that it is, and leaves from the outbox.
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
      // The alarm rings in a later turn of the event loop, when the commit is done.
      if (this.isStarted) this.mentionTimer.dueAt(dueMs)
    })
  }

  /** Goes on with what was due when the workspace was closed: once the addresses of pages are known. Not to be waited for. */
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

  /**
   * Writes to a member what they have asked for, whether or not they want other mail; to be called inside a commit.
   * @param untilMs when it will be of no use any more, in Unix milliseconds
   */
  sendRequested(member: Member, text: MailText, untilMs: number): void {
    this.writeTo(member, { text, why: 'asked', untilMs })
  }

  /**
   * Tells the address that a member had until now that theirs is another, whether or not they want other mail; to be
   * called inside the commit that changes it.
   * @param before the member with the former address
   */
  notifyFormerAddress(before: Member): void {
    if (before.type !== 'human' || before.email === '') return
    const { clock, identity } = this.deps
    const text = changedAddressText(before, { workspaceName: identity.name, atMs: clock.now() })
    this.writeTo(before, { text, why: 'former', untilMs: clock.now() + changeNoticeMs })
  }

  private writeTo(
    member: Member,
    { text, why, untilMs }: { text: MailText; why: MailReason; untilMs: number },
  ): void {
    const { clock, from, identity } = this.deps
    this.outbox.enqueue(
      member.id,
      (id): MailMessage => ({
        ...renderMail(text, { workspaceName: identity.name, why, unsubscribeUrl: null }),
        messageId: mailIdFrom(from, id),
        references: [],
        dateMs: clock.now(),
        unsubscribeUrl: null,
      }),
      { address: member.email, untilMs },
    )
  }

  private async collectDue(): Promise<number | null> {
    const { clock, database, inboxRows, schedule } = this.deps
    const latestMs = clock.now() + schedule.delayMs
    // A clock that was ahead has put off for long what is mailed.
    if ((inboxRows.lastMailMs() ?? 0) > latestMs) {
      await database.commit(() => inboxRows.hastenMail(latestMs))
    }
    let failure: unknown = null
    for (const memberId of inboxRows.membersToMail(clock.now())) {
      if (!this.isStarted) break
      try {
        await database.commit(() => this.queueMentions(memberId))
      } catch (error) {
        // The others have theirs all the same.
        failure = error
      }
    }
    if (failure !== null) throw failure
    return inboxRows.nextMailMs()
  }

  /** Whatever is read, gone or closed to them by now is left out; where nothing is left, there is no letter. */
  private queueMentions(memberId: string): void {
    const { inboxRows, members, unreadMentions, identity } = this.deps
    const records = inboxRows.unmailed(memberId)
    inboxRows.forgetMail(memberId)
    const member = members.find(memberId)
    if (!member || !wantsMail(member)) return
    const mentions = unreadMentions.visible(records, member)
    if (mentions.length === 0) return
    // Letters about one room, or about one post and its comments, stand together.
    const places = new Set(mentions.map(({ placeId }) => placeId))
    const quoted = unreadMentions.withExcerpts(mentions, member)
    this.write(
      member,
      mentionsText(quoted, { workspaceName: identity.name }),
      [...places].slice(0, maxReferences),
    )
  }

  /** Within a commit. @param about ids of what the letter speaks of: letters about the same thing stand together */
  private write(member: Member, text: MailText, about: readonly string[]): void {
    const { clock, from, pageUrl, unsubscribing, identity } = this.deps
    const memberId = member.id
    const unsubscribeUrl = pageUrl(unsubscribePath(unsubscribing.tokenFor(memberId)))
    this.outbox.enqueue(
      memberId,
      (id): MailMessage => ({
        ...renderMail(text, { workspaceName: identity.name, why: 'member', unsubscribeUrl }),
        messageId: mailIdFrom(from, id),
        references: about.map((id) => mailIdFrom(from, id)),
        dateMs: clock.now(),
        unsubscribeUrl,
      }),
    )
  }
}

/** For how long the notice of a changed address is tried, longer than all attempts take. */
const changeNoticeMs = 24 * 60 * 60 * 1000

/** So that a header stays far below what mail servers take. */
const maxReferences = 20

const mailIdFrom = (from: string, id: string): string => `<${id}@${domainOf(from)}>`

/** Of the sender's address, as it may stand in a Message-ID. */
const domainOf = (from: string): string =>
  domainToASCII(/@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? '') || 'localhost'
