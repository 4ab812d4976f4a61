import type { Database } from '../../data/database.ts'
import type { DeliveriesTable, DeliveryRow } from '../../data/tables/deliveries.ts'
import type { WebhooksTable } from '../../data/tables/webhooks.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireWebhookAccess, webhookHasScope, webhookScopes } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { RequestLifetime } from '../events/request-lifetime.ts'
import type { RandomBytes } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import type { DeliveryEnqueuer } from './delivery-enqueuer.ts'
import { scopesOf } from './delivery-scopes.ts'
import type { ReplyPoster } from './reply-poster.ts'
import { afterCancellation, afterSuccess, maxAttempts } from './retry-schedule.ts'
import { isStillDeliverable, type StillDeliverableDeps } from './still-deliverable.ts'
import { type DeliveryState, webhookEvents } from './types.ts'
import { newWebhook, requireAgent } from './webhook-store.ts'

interface WakesDeps extends StillDeliverableDeps {
  database: Database
  clock: Clock
  random: RandomBytes
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  deliveryEnqueuer: DeliveryEnqueuer
  replies: ReplyPoster
}

interface TakeRequest {
  /** How long to wait if nothing is pending. */
  waitMs: number
  limit: number
  /** A wake that is not answered by then is taken again. */
  leaseMs: number
  /** Takes unanswered wakes again at once: the program that took them has ended. */
  restart: boolean
}

interface WakeAnswer {
  /** Posted where the agent was asked. */
  body?: string
  error?: string
}

const maxErrorLength = 200

/** Deliveries that an agent without an address fetches itself (`docs/webhooks.md#without-an-address`). */
export class Wakes {
  constructor(private readonly deps: WakesDeps) {}

  /** Returns bodies as a webhook gets them. @throws WorkspaceError `conflict` for an agent with a URL */
  async take(caller: Caller, request: TakeRequest, lifetime: RequestLifetime): Promise<object[]> {
    const agent = this.requireAgent(caller)
    await this.register(caller, request)
    const taken = await this.takePending(agent, request)
    if (taken.length > 0 || request.waitMs <= 0) return taken
    await this.waitForNext(agent, request.waitMs, lifetime)
    return lifetime.isDisconnected ? [] : this.takePending(agent, request)
  }

  /** Ends a wake, and posts its reply in the same commit. Idempotent. */
  async answer(
    caller: Caller,
    id: string,
    { body = '', error }: WakeAnswer,
  ): Promise<{ id: string; state: DeliveryState; replyId: string | null }> {
    const agent = this.requireAgent(caller)
    const { clock, database, deliveries, replies, webhooks } = this.deps
    return commitOrUnavailable(database, () => {
      const delivery = deliveries.find(id)
      if (delivery?.memberId !== agent.id) throw new WorkspaceError('not_found', `You have no wake ${id}.`)
      if (delivery.state !== 'pending') return { id, state: delivery.state, replyId: delivery.replyId }
      const webhook = webhooks.find(agent.id)
      const isPosted =
        error === undefined &&
        body.trim() !== '' &&
        webhook &&
        webhookHasScope(webhook, scopesOf(delivery).reply)
      const replyId = isPosted ? replies.post(delivery, body) : null
      const ended = afterSuccess({ ...delivery, replyId }, 200, clock.now())
      const outcome =
        error === undefined
          ? ended
          : {
              ...ended,
              state: 'failed' as const,
              lastStatus: null,
              lastError: error.slice(0, maxErrorLength),
            }
      deliveries.settle(outcome)
      return { id, state: outcome.state, replyId }
    })
  }

  private requireAgent(caller: Caller): Member {
    requireWebhookAccess(caller, caller.member)
    requireAgent(caller.member)
    return caller.member
  }

  /** From the first request on, deliveries are kept for the agent. */
  private register(caller: Caller, { restart }: TakeRequest): Promise<void> {
    const { clock, database, deliveries, random, webhooks } = this.deps
    const agent = caller.member
    return commitOrUnavailable(database, () => {
      const existing = webhooks.find(agent.id)
      if (existing && existing.url !== '') {
        throw new WorkspaceError(
          'conflict',
          `${agent.name} is called at ${new URL(existing.url).host}. Remove its webhook to fetch what wakes it.`,
        )
      }
      const scopes = webhookScopes(caller)
      const webhook = existing ?? { ...newWebhook(agent, random, clock.now()), events: [...webhookEvents] }
      if (!existing || JSON.stringify(existing.scopes) !== JSON.stringify(scopes))
        webhooks.put({ ...webhook, scopes })
      if (restart) deliveries.hastenFor(agent.id, clock.now())
    })
  }

  private takePending(agent: Member, { limit, leaseMs }: TakeRequest): Promise<object[]> {
    const { clock, database, deliveries } = this.deps
    return commitOrUnavailable(database, () => {
      const nowMs = clock.now()
      const taken: object[] = []
      for (let next = deliveries.next(agent.id, nowMs); next && taken.length < limit; ) {
        if (this.isDue(next)) {
          deliveries.begin(next.id, nowMs + leaseMs)
          taken.push(JSON.parse(deliveries.body(next.id).toString()))
        }
        next = deliveries.next(agent.id, nowMs)
      }
      return taken
    })
  }

  /** Ends a delivery that may no longer be delivered, or that was taken too often. */
  private isDue(delivery: DeliveryRow): boolean {
    const { clock, deliveries, webhooks } = this.deps
    const nowMs = clock.now()
    const webhook = webhooks.find(delivery.memberId)!
    if (!isStillDeliverable(delivery, this.deps) || !webhookHasScope(webhook, scopesOf(delivery).read)) {
      deliveries.settle(afterCancellation(delivery, nowMs))
      return false
    }
    if (delivery.attempts < maxAttempts) return true
    deliveries.settle({ ...afterCancellation(delivery, nowMs), state: 'failed', lastError: 'no_outcome' })
    return false
  }

  private waitForNext(agent: Member, waitMs: number, lifetime: RequestLifetime): Promise<void> {
    const { clock, deliveries, deliveryEnqueuer } = this.deps
    return new Promise((resolve) => {
      const cleanups: (() => void)[] = []
      const finish = () => {
        for (const stop of cleanups) stop()
        resolve()
      }
      const timer = clock.after(waitMs, finish)
      cleanups.push(
        () => timer.cancel(),
        lifetime.onEnd(finish),
        deliveryEnqueuer.onDue(() => {
          if (deliveries.next(agent.id, clock.now())) finish()
        }),
      )
      if (lifetime.hasEnded) finish()
    })
  }
}
