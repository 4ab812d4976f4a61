import type { RequestOptions } from 'web-push'
import type { Database } from '../../data/database.ts'
import type { Outbound, OutboundFailure, OutboundResponse } from '../../data/outbound/http.ts'
import type { InboxTable } from '../../data/tables/inbox.ts'
import type {
  PushQueueTable,
  PushSubscriptionRow,
  PushSubscriptionsTable,
  QueuedPush,
} from '../../data/tables/push.ts'
import type { Caller, Member } from '../access/member.ts'
import type { NotificationKind } from '../inbox/kinds.ts'
import type { UnreadMentions } from '../inbox/unread-mentions.ts'
import type { UnreadNotices } from '../inbox/unread-notices.ts'
import type { MemberStore } from '../members/member-store.ts'
import { localUrl } from '../rendering/local-url.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import type { NotificationSettings } from './notification-settings.ts'
import { type NotificationText, notificationSentence } from './notification-text.ts'
import type { PushKeys } from './push-keys.ts'

interface PushDeps {
  database: Database
  pushSubscriptions: PushSubscriptionsTable
  pushQueue: PushQueueTable
  inboxRows: InboxTable
  unreadMentions: UnreadMentions
  unreadNotices: UnreadNotices
  members: MemberStore
  /** Returns null once the session has ended. */
  sessions: { refreshSession(caller: Caller): Caller | null }
  settings: NotificationSettings
  pushKeys: PushKeys
  outbound: Outbound
  clock: Clock
  pageUrl: (path: string) => string
  onProblem: (message: string, error?: unknown) => void
}

const minuteMs = 60_000

/** Delays after failures; after the last the push is given up. */
const backoffMs = [1, 5, 30].map((minutes) => minutes * minuteMs)

/** After this neither we nor the push service keep a notification. */
const lifetimeMs = 12 * 60 * minuteMs

const maxQueuedPerDevice = 50
const maxConcurrentSends = 8
const maxPreviewLength = 200
const maxUnreadCounted = 100

/**
 * Pushes notifications to browsers (RFC 8030, 8188, 8291, 8292). The text, and whether it is still unread,
 * visible and wanted, is determined when it is sent.
 */
export class Push {
  private readonly deps: PushDeps
  private readonly timer: DueTimer
  private readonly abortController = new AbortController()
  private readonly inFlight = new Map<number, Promise<void>>()
  private isStarted = false

  constructor(deps: PushDeps) {
    this.deps = deps
    this.timer = new DueTimer(
      deps.clock,
      () => this.sendDue(),
      (error) => deps.onProblem('Notifications could not be pushed; this is tried again', error),
    )
  }

  /** Continues with what was due at the last stop. Must be called after the base URL is known. */
  start(): void {
    this.isStarted = true
    this.timer.dueAt(this.deps.clock.now())
  }

  /** The next start sends again what was in progress. */
  async stop(): Promise<void> {
    this.isStarted = false
    this.abortController.abort()
    await this.timer.stop()
    await Promise.all(this.inFlight.values())
  }

  /** Must be called inside the commit of the record. */
  enqueue(memberId: string, kind: NotificationKind, subjectId: string): void {
    const { clock, pushQueue, pushSubscriptions, settings } = this.deps
    const devices = pushSubscriptions.ofMember(memberId).filter(({ muted }) => !muted.includes(kind))
    const nextMs = clock.now()
    if (devices.length === 0 || settings.isQuiet(memberId, nextMs)) return
    for (const { id: subscriptionId } of devices) {
      pushQueue.insert({ subscriptionId, kind, subjectId, nextMs, untilMs: nextMs + lifetimeMs })
      pushQueue.removeBeyond(subscriptionId, maxQueuedPerDevice)
    }
    // The timer fires in a later turn, after the commit.
    if (this.isStarted) this.timer.dueAt(nextMs)
  }

  private async sendDue(): Promise<number | null> {
    const { clock, database, pushQueue } = this.deps
    const nowMs = clock.now()
    // A clock that was ahead may have postponed retries.
    const latestMs = nowMs + Math.max(...backoffMs)
    if (pushQueue.nextDueMs(latestMs) !== null) await database.commit(() => pushQueue.hasten(latestMs))
    const rows = pushQueue
      .due(nowMs, 2 * maxConcurrentSends)
      .filter(({ id }) => !this.inFlight.has(id))
      .slice(0, maxConcurrentSends - this.inFlight.size)
    for (const row of rows) this.inFlight.set(row.id, this.process(row))
    return pushQueue.nextDueMs(nowMs)
  }

  private async process(row: QueuedPush): Promise<void> {
    let nextMs = 0
    try {
      await this.send(row)
    } catch (error) {
      if (this.abortController.signal.aborted) return
      this.deps.onProblem('A notification could not be pushed; this is tried again', error)
      nextMs = minuteMs
    } finally {
      this.inFlight.delete(row.id)
      this.timer.dueAt(this.deps.clock.now() + nextMs)
    }
  }

  private async send(row: QueuedPush): Promise<void> {
    const { database, pushQueue, pushSubscriptions } = this.deps
    const subscription = pushSubscriptions.find(row.subscriptionId)
    const payload = subscription && this.payloadOf(row, subscription)
    if (!subscription || !payload) return database.commit(() => pushQueue.remove(row.id))
    const outcome = await this.post(subscription, payload, row)
    if (outcome.kind === 'response' && (outcome.status === 404 || outcome.status === 410)) {
      // The browser has ended the subscription. Its queue is removed with it.
      return database.commit(() => pushSubscriptions.remove(subscription.id))
    }
    const delayMs = isTemporary(outcome) ? backoffMs[row.attempts] : undefined
    if (delayMs !== undefined) {
      const nextMs = this.deps.clock.now() + delayMs
      return database.commit(() => pushQueue.postpone(row.id, row.attempts + 1, nextMs))
    }
    return database.commit(() => pushQueue.remove(row.id))
  }

  private async post(
    { endpoint, publicKey, auth }: PushSubscriptionRow,
    payload: object,
    row: QueuedPush,
  ): Promise<OutboundResponse | OutboundFailure> {
    const { default: webPush } = await import('web-push')
    const { clock, outbound, pageUrl, pushKeys } = this.deps
    const options: RequestOptions = {
      vapidDetails: { subject: subjectOf(pageUrl('/')), ...pushKeys },
      TTL: Math.max(0, Math.floor((row.untilMs - clock.now()) / 1000)),
      urgency: row.kind === 'direct' || row.kind === 'mention' ? 'high' : 'normal',
    }
    const subscription = { endpoint, keys: { p256dh: publicKey, auth } }
    const { headers, body } = webPush.generateRequestDetails(subscription, JSON.stringify(payload), options)
    const { 'Content-Length': _, ...rest } = headers as Record<string, string | number>
    const headerTexts = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
    const request = {
      method: 'POST' as const,
      url: endpoint,
      headers: headerTexts,
      body: body!,
      timeoutMs: 10_000,
      maxBytes: 4096,
    }
    return outbound.request(request, this.abortController.signal)
  }

  /** Returns null if the subject was read, is no longer visible, or is unwanted now. */
  private payloadOf(row: QueuedPush, subscription: PushSubscriptionRow): object | null {
    const { clock, members, sessions, settings } = this.deps
    const member = members.find(subscription.memberId)
    const caller = member && sessions.refreshSession({ member, keyId: subscription.sessionId } as Caller)
    const kind = row.kind as NotificationKind
    if (!member || !caller || clock.now() >= row.untilMs) return null
    if (subscription.muted.includes(kind) || settings.isQuiet(member.id, clock.now())) return null
    const notification = this.find(member, kind, row.subjectId)
    if (!notification) return null
    return {
      title: notificationSentence(notification),
      body: [...(notification.preview ?? '')].slice(0, maxPreviewLength).join(''),
      url: localUrl(notification.url),
      tag: kind === 'direct' || kind === 'reply' ? notification.placeId : row.subjectId,
      silent: !subscription.hasSound,
      unread: this.countUnread(caller),
      ...(notification.isInThread && { isInThread: true }),
    }
  }

  private find(
    member: Member,
    kind: NotificationKind,
    subjectId: string,
  ): (NotificationText & { url: string; placeId: string; isInThread: boolean }) | null {
    const { inboxRows, unreadMentions, unreadNotices } = this.deps
    if (kind !== 'mention') {
      const notice = unreadNotices.find(member, kind, subjectId)
      return notice && { ...notice, isInThread: kind === 'reply' }
    }
    const records = inboxRows.unreadOf(member.id, subjectId)
    const [mention] = unreadMentions.withExcerpts(unreadMentions.visible(records, member), member)
    return mention ? { ...mention, kind, isInThread: mention.threadId !== null } : null
  }

  private countUnread(caller: Caller): number {
    const { unreadMentions, unreadNotices } = this.deps
    const notices = unreadNotices.unread(caller.member, maxUnreadCounted).length
    return unreadMentions.count(caller, maxUnreadCounted) + notices
  }
}

/** RFC 8292 requires a contact: an https address or a mail address. */
const subjectOf = (url: string): string => (url.startsWith('https:') ? url : 'mailto:workroom@localhost')

const isTemporary = (outcome: OutboundResponse | OutboundFailure): boolean =>
  outcome.kind === 'response'
    ? outcome.status === 429 || outcome.status >= 500
    : outcome.category !== 'blocked_address' && outcome.category !== 'bad_url'
