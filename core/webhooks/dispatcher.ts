import type { Database } from '../../data/database.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import type { DeliveriesTable, DeliveryRow } from '../../data/tables/deliveries.ts'
import type { WebhookRow, WebhooksTable } from '../../data/tables/webhooks.ts'
import { webhookHasScope } from '../access/permissions.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import { type AttemptResult, sendDelivery } from './attempt.ts'
import { CommitThrottle } from './commit-throttle.ts'
import { scopesOf } from './delivery-scopes.ts'
import type { ReplyPoster } from './reply-poster.ts'
import {
  afterCancellation,
  afterFailure,
  afterSuccess,
  dueIfInterrupted,
  maxAttempts,
  maxBackoffMs,
} from './retry-schedule.ts'
import type { SignedAttempt } from './signature.ts'
import { isStillDeliverable, type StillDeliverableDeps } from './still-deliverable.ts'
import type { WebhookHealth } from './webhook-health.ts'

export interface DispatcherDeps extends StillDeliverableDeps {
  database: Database
  clock: Clock
  outbound: Outbound
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  health: WebhookHealth
  replies: ReplyPoster
  refresh: () => void
  onProblem: (message: string, error?: unknown) => void
}

const maxConcurrent = 64
/** The limit of the outbound client (`openOutbound`), so that no counted attempt waits for a socket. */
const maxConcurrentPerHost = 8
/** How many deliveries one commit checks for one that may still be sent. */
const maxCancelledPerCommit = 100

interface StartedAttempt {
  delivery: DeliveryRow
  attempt: SignedAttempt
  webhook: WebhookRow
}

/**
 * Sends due deliveries, one at a time for each agent. An attempt is counted in a commit before it is made, so
 * that an interrupted one is never repeated under its number.
 */
export class Dispatcher {
  private readonly deps: DispatcherDeps
  private readonly timer: DueTimer
  private readonly abortController = new AbortController()
  private readonly throttle = new CommitThrottle(this.abortController.signal)
  private readonly inFlight = new Map<string, { host: string; ended: Promise<void> }>()
  /** The agent that has waited longest is first. */
  private readonly turnOrder = new Set<string>()
  private readonly reportedAgents = new Set<string>()

  constructor(deps: DispatcherDeps) {
    this.deps = deps
    this.timer = new DueTimer(
      deps.clock,
      async () => {
        await this.hastenPostponed()
        return this.sendDue()
      },
      (error) => deps.onProblem('Webhooks could not be sent; this is tried again', error),
    )
  }

  /** May be called inside the commit that makes it due. */
  dueAt(timeMs: number): void {
    this.timer.dueAt(timeMs)
  }

  /** Continues with what was due when the workspace was closed. */
  start(): void {
    this.timer.dueAt(this.deps.clock.now())
  }

  /** Aborts running attempts, which count as made. */
  async stop(): Promise<void> {
    this.abortController.abort()
    await this.timer.stop()
    await Promise.all([...this.inFlight.values()].map(({ ended }) => ended))
  }

  /** Makes deliveries due that a clock ahead had postponed beyond the longest backoff. */
  private async hastenPostponed(): Promise<void> {
    const { clock, database, deliveries } = this.deps
    const latestMs = clock.now() + maxBackoffMs
    const isTooLate = deliveries.waiting().some(({ dueMs }) => dueMs > latestMs)
    if (isTooLate) await database.commit(() => deliveries.hasten(latestMs))
  }

  /** Returns when the next delivery is due. */
  private sendDue(): number | null {
    const nowMs = this.deps.clock.now()
    const idle = this.deps.deliveries.waiting().filter(({ memberId }) => !this.inFlight.has(memberId))
    for (const { memberId, url } of this.sortByTurn(idle.filter(({ dueMs }) => dueMs <= nowMs))) {
      // Each attempt that ends checks again.
      if (this.inFlight.size >= maxConcurrent) return null
      const { host } = new URL(url)
      if (this.inFlightAt(host) < maxConcurrentPerHost) this.startDelivery(memberId, host)
    }
    return idle.find(({ dueMs }) => dueMs > nowMs)?.dueMs ?? null
  }

  /** An agent that hangs gets the same share as others. */
  private sortByTurn<Waiting extends { memberId: string }>(waiting: Waiting[]): Waiting[] {
    const turns = [...this.turnOrder]
    const turnOf = new Map(turns.map((memberId, turn) => [memberId, turn]))
    const turn = ({ memberId }: Waiting) => turnOf.get(memberId) ?? -1
    return waiting.toSorted((one, other) => turn(one) - turn(other))
  }

  private inFlightAt(host: string): number {
    return [...this.inFlight.values()].filter((attempt) => attempt.host === host).length
  }

  private startDelivery(memberId: string, host: string): void {
    this.turnOrder.delete(memberId)
    this.turnOrder.add(memberId)
    const ended = this.deliver(memberId)
      .catch((error) => {
        if (this.abortController.signal.aborted) return this.deps.clock.now()
        this.deps.onProblem('A webhook could not be sent; this is tried again', error)
        return this.deps.clock.now() + 60_000
      })
      .then((nextMs) => {
        this.inFlight.delete(memberId)
        this.timer.dueAt(nextMs)
      })
    this.inFlight.set(memberId, { host, ended })
  }

  private async deliver(memberId: string): Promise<number> {
    const { clock, database } = this.deps
    await this.throttle.waitForCommit()
    this.abortController.signal.throwIfAborted()
    this.deps.refresh()
    const started = await database.commit(() => this.beginAttempt(memberId))
    if (started) {
      const result = await this.attempt(started)
      await this.throttle.waitForCommit()
      await database.commit(() => this.recordResult(started, result))
      this.report(started, result)
    }
    return clock.now()
  }

  /** Counts the next attempt, and cancels what may no longer be sent. */
  private beginAttempt(memberId: string): StartedAttempt | null {
    const { clock, deliveries, webhooks } = this.deps
    const nowMs = clock.now()
    const webhook = webhooks.find(memberId)
    if (!webhook) return null
    for (let cancelledCount = 0; cancelledCount < maxCancelledPerCommit; cancelledCount++) {
      const delivery = deliveries.next(memberId, nowMs)
      if (!delivery) return null
      if (!isStillDeliverable(delivery, this.deps) || !webhookHasScope(webhook, scopesOf(delivery).read)) {
        deliveries.settle(afterCancellation(delivery, nowMs))
      } else if (delivery.attempts >= maxAttempts) {
        // The last attempt was interrupted.
        this.fail(delivery, { status: null, error: 'no_outcome' })
      } else {
        const attempt = delivery.attempts + 1
        deliveries.begin(delivery.id, dueIfInterrupted(attempt, nowMs))
        const body = deliveries.body(delivery.id)
        return { delivery, webhook, attempt: { delivery, attempt, body, atMs: nowMs } }
      }
    }
    return null
  }

  private async attempt({ attempt, webhook }: StartedAttempt): Promise<AttemptResult> {
    const { outbound, onProblem } = this.deps
    const { signal } = this.abortController
    try {
      await this.throttle.waitForTurn()
      return await sendDelivery(outbound, attempt, webhook, signal)
    } catch (error) {
      if (signal.aborted) throw error
      onProblem('A webhook caused an internal error', error)
      return { isDelivered: false, status: null, error: 'fault' }
    }
  }

  private recordResult({ delivery: started, webhook }: StartedAttempt, result: AttemptResult): void {
    const { clock, deliveries, health, replies } = this.deps
    const delivery = deliveries.find(started.id)
    // It was cancelled with the webhook, or restarted.
    if (delivery?.state !== 'pending' || delivery.attempts !== started.attempts + 1) return
    if (!result.isDelivered) {
      this.fail(delivery, result)
      return
    }
    const isReply = result.reply !== null && webhookHasScope(webhook, scopesOf(delivery).reply)
    const replyId = isReply ? replies.post(delivery, result.reply!) : delivery.replyId
    deliveries.settle(afterSuccess({ ...delivery, replyId }, result.status, clock.now()))
    health.recordSuccess(delivery.memberId)
  }

  private report({ delivery, webhook }: StartedAttempt, result: AttemptResult): void {
    const { memberId, id } = delivery
    if (result.isDelivered) {
      this.reportedAgents.delete(memberId)
      return
    }
    if (this.reportedAgents.has(memberId)) return
    this.reportedAgents.add(memberId)
    const { name } = this.deps.members.find(memberId)!
    const reason = result.status === null ? result.error : `${result.error} ${result.status}`
    const mend =
      result.error === 'blocked_address' || result.error === 'bad_url'
        ? ' Its address is not allowed: see outbound.allow, which is read when the server starts.'
        : ''
    this.deps.onProblem(
      `The webhook of ${name} (${memberId}) at ${new URL(webhook.url).host} failed: ${reason}, delivery ${id}. Deliveries are tried again.${mend}`,
    )
  }

  private fail(delivery: DeliveryRow, reason: { status: number | null; error: string }): void {
    const { clock, deliveries, health } = this.deps
    const outcome = afterFailure(delivery, reason, clock.now())
    deliveries.settle(outcome)
    if (outcome.state === 'failed') health.recordFailure(delivery.memberId)
  }
}
