import type { WebhookRow } from '../../data/tables/webhooks.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireWebhookAccess, webhookScopes } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { DeliveryState, DeliveryView, NewWebhook, WebhookAddress, WebhookView } from './types.ts'
import { isFailing } from './webhook-health.ts'
import { requireAgent, WebhookStore, type WebhookStoreDeps } from './webhook-store.ts'

export interface WebhooksDeps extends WebhookStoreDeps {
  members: MemberStore
  /** Called inside the commit that makes a delivery due. */
  onDue: () => void
}

/** Webhooks and deliveries with permission checks. `idOrName` is an id, a slug or an exact name of an agent. */
export class Webhooks {
  private readonly deps: WebhooksDeps
  private readonly store: WebhookStore

  constructor(deps: WebhooksDeps) {
    this.deps = deps
    this.store = new WebhookStore(deps)
  }

  get(caller: Caller, idOrName: string): WebhookView {
    const webhook = this.store.find(this.requireManagedAgent(caller, idOrName))
    const failing = webhook && isFailing(webhook)
    return {
      ...addressOf(webhook),
      state: failing ? 'failing' : 'ok',
      failingSince: failing ? webhook.failingSinceMs : null,
      secretCreatedAt: webhook?.secretCreatedMs ?? null,
    }
  }

  /** A new secret is returned only here. @throws WorkspaceError `bad_request` for the address */
  async set(
    caller: Caller,
    idOrName: string,
    request: NewWebhook,
  ): Promise<WebhookAddress & { secret?: string }> {
    const set = await this.store.set(
      this.requireManagedAgent(caller, idOrName),
      request,
      webhookScopes(caller),
    )
    return { ...addressOf(set?.webhook ?? null), ...(set?.isNew && { secret: set.webhook.secret }) }
  }

  async rotate(caller: Caller, idOrName: string): Promise<WebhookAddress & { secret: string }> {
    const webhook = await this.store.rotate(this.requireManagedAgent(caller, idOrName))
    return { ...addressOf(webhook), secret: webhook.secret }
  }

  deliveries(caller: Caller, idOrName: string, limit: number): DeliveryView[] {
    return this.store.deliveries(this.requireManagedAgent(caller, idOrName), limit)
  }

  redeliver(caller: Caller, idOrName: string, id: string): Promise<{ id: string; state: DeliveryState }> {
    const agent = this.requireManagedAgent(caller, idOrName)
    return this.store.redeliver(agent, id, this.deps.onDue)
  }

  private requireManagedAgent(caller: Caller, idOrName: string): Member {
    const member = this.deps.members.resolve(idOrName)
    if (!member) {
      throw new WorkspaceError('not_found', `There is no member ${idOrName}.`, {
        next: { step: 'list members' },
      })
    }
    requireWebhookAccess(caller, member)
    requireAgent(member)
    return member
  }
}

const addressOf = (webhook: WebhookRow | null): WebhookAddress => ({
  url: webhook?.url || null,
  events: webhook?.events ?? [],
})
