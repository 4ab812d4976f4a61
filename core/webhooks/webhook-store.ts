import type { Database } from '../../data/database.ts'
import type { Outbound, OutboundFailure } from '../../data/outbound/http.ts'
import type { DeliveriesTable, DeliveryRow } from '../../data/tables/deliveries.ts'
import type { WebhookRow, WebhooksTable } from '../../data/tables/webhooks.ts'
import type { Member } from '../access/member.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { newSecret, type RandomBytes } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import {
  type DeliveryState,
  type DeliveryView,
  defaultWebhookEvents,
  type NewWebhook,
  type WebhookEvent,
  webhookEvents,
} from './types.ts'

export interface WebhookStoreDeps {
  database: Database
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  outbound: Outbound
  clock: Clock
  random: RandomBytes
  /** Whether a refusal adds that a running server uses the exceptions of its start. */
  usesServerAllowList?: boolean
}

const rotationOverlapMs = 24 * 60 * 60 * 1000

const maxUrlLength = 2048

const maxDeliveriesListed = 100

export class WebhookStore {
  constructor(private readonly deps: WebhookStoreDeps) {}

  find(agent: Member): WebhookRow | null {
    return this.deps.webhooks.find(agent.id) ?? null
  }

  /** Without a URL, removes the webhook and cancels deliveries. @throws WorkspaceError `bad_request` */
  async set(
    agent: Member,
    { url, events }: NewWebhook,
    scopes: string[] | null = null,
  ): Promise<{ webhook: WebhookRow; isNew: boolean } | null> {
    requireAgent(agent)
    if (url === null || url === '') {
      await this.remove(agent)
      return null
    }
    await this.requireUrl(url)
    const { clock, database, random, webhooks } = this.deps
    return commitOrUnavailable(database, () => {
      const existing = webhooks.find(agent.id)
      const webhook = { ...(existing ?? newWebhook(agent, random, clock.now())), url, scopes }
      if (events) webhook.events = inDeclaredOrder(events)
      webhooks.put(webhook)
      // The secret of an agent that fetches was shown to nobody.
      return { webhook, isNew: existing === undefined || existing.url === '' }
    })
  }

  /** The old secret also signs for a day. */
  rotate(agent: Member): Promise<WebhookRow> {
    const { clock, database, random, webhooks } = this.deps
    return commitOrUnavailable(database, () => {
      const existing = webhooks.find(agent.id)
      if (!existing) throw noWebhookError(agent)
      const nowMs = clock.now()
      const webhook: WebhookRow = {
        ...existing,
        secret: newSecret('whs_', random),
        secretCreatedMs: nowMs,
        previousSecret: existing.secret,
        previousUntilMs: nowMs + rotationOverlapMs,
      }
      webhooks.put(webhook)
      return webhook
    })
  }

  deliveries({ id }: Member, limit = maxDeliveriesListed): DeliveryView[] {
    return this.deps.deliveries.newest(id, Math.min(limit, maxDeliveriesListed)).map(deliveryView)
  }

  /** Restarts an ended delivery with all its attempts. @throws WorkspaceError `conflict` for a pending one */
  redeliver(agent: Member, id: string, onDue = () => {}): Promise<{ id: string; state: DeliveryState }> {
    const { clock, database, deliveries } = this.deps
    return commitOrUnavailable(database, () => {
      const delivery = deliveries.find(id)
      if (delivery?.memberId !== agent.id) {
        throw new WorkspaceError('not_found', `${agent.name} has no delivery ${id}.`)
      }
      if (delivery.state === 'pending') {
        throw new WorkspaceError('conflict', 'This delivery is still pending; it will be sent.')
      }
      if (!this.find(agent)) throw noWebhookError(agent)
      deliveries.restart(id, clock.now())
      onDue()
      return { id, state: 'pending' as const }
    })
  }

  private async remove(agent: Member): Promise<void> {
    const { clock, database, deliveries, webhooks } = this.deps
    await commitOrUnavailable(database, () => {
      if (webhooks.remove(agent.id)) deliveries.cancelAll(agent.id, clock.now())
    })
  }

  /** Accepts unknown names: they are resolved and checked again when a delivery is sent. */
  private async requireUrl(url: string): Promise<void> {
    if (url.length > maxUrlLength) {
      throw new WorkspaceError('bad_request', `A webhook's url has at most ${maxUrlLength} characters.`)
    }
    const refusal = await this.deps.outbound.checkUrl(url)
    const reason = refusal && reasonOf(refusal)
    if (!reason) return
    const hint = this.deps.usesServerAllowList
      ? ' A running server uses the outbound.allow that it was started with: restart it after a change.'
      : ''
    throw new WorkspaceError('bad_request', `This url cannot be a webhook's: ${reason}.${hint}`)
  }
}

export function requireAgent(member: Member): void {
  if (member.type === 'agent') return
  throw new WorkspaceError('bad_request', `${member.name} is a person, and only agents have webhooks.`)
}

const noWebhookError = ({ name }: Member) =>
  new WorkspaceError('not_found', `${name} has no webhook. Set its url first.`)

const deliveryView = (row: DeliveryRow): DeliveryView => ({
  id: row.id,
  event: row.event,
  state: row.state,
  attempts: row.attempts,
  nextAttemptAt: row.nextAttemptMs,
  lastStatus: row.lastStatus,
  lastError: row.lastError,
  createdAt: row.createdMs,
})

export const newWebhook = ({ id }: Member, random: RandomBytes, nowMs: number): WebhookRow => ({
  memberId: id,
  url: '',
  events: [...defaultWebhookEvents],
  secret: newSecret('whs_', random),
  secretCreatedMs: nowMs,
  previousSecret: null,
  previousUntilMs: null,
  failures: 0,
  failingSinceMs: null,
  scopes: null,
})

const inDeclaredOrder = (events: readonly WebhookEvent[]): WebhookEvent[] =>
  webhookEvents.filter((event) => events.includes(event))

/** The end of a sentence, or null. */
function reasonOf({ category, detail }: OutboundFailure): string | null {
  if (category === 'blocked_address') {
    return 'its host has an address that is not public (blocked_address). An operator can allow it: outbound.allow'
  }
  if (category !== 'bad_url') return null
  if (detail === 'credentials') return 'it must not contain a user name or password (bad_url)'
  if (detail === 'unreadable') return 'it is not a valid address (bad_url)'
  return 'it must begin with https://, or http:// where an operator allows its host in outbound.allow (bad_url)'
}
