import type { WebhookRow, WebhooksTable } from '../../data/tables/webhooks.ts'
import type { Member } from '../access/member.ts'
import type { MemberStore } from '../members/member-store.ts'
import { deliveriesPath } from '../paths.ts'
import { type DirectRoomDeps, findOrCreateDirectRoom } from '../room-members/direct-room.ts'
import type { PostsAs } from './post-as.ts'

/** Consecutive failed deliveries after which a webhook counts as failing. */
const failingAfter = 5

export const isFailing = ({ failures }: Pick<WebhookRow, 'failures'>): boolean => failures >= failingAfter

const sentVia = 'workroom'

export interface HealthOptions extends DirectRoomDeps {
  webhooks: WebhooksTable
  members: MemberStore
  messageStore: PostsAs<{ body: string; sentVia: string }>
}

/** A failing webhook is never disabled; its owner is notified. */
export class WebhookHealth {
  constructor(private readonly deps: HealthOptions) {}

  recordSuccess(memberId: string): void {
    const { webhooks } = this.deps
    const webhook = webhooks.find(memberId)
    if (!webhook || webhook.failures === 0) return
    webhooks.put({ ...webhook, failures: 0, failingSinceMs: null })
  }

  /** For a delivery that failed with all its attempts. Must be called inside the commit that records it. */
  recordFailure(memberId: string): void {
    const { clock, webhooks } = this.deps
    const webhook = webhooks.find(memberId)
    if (!webhook) return
    const failures = webhook.failures + 1
    webhooks.put({ ...webhook, failures, failingSinceMs: webhook.failingSinceMs ?? clock.now() })
    if (failures === failingAfter) this.notifyOwner(memberId)
  }

  /** Posts in their direct room, where a mention reaches the inbox and mail. */
  private notifyOwner(memberId: string): void {
    const { members, messageStore } = this.deps
    const agent = members.find(memberId)!
    const owner = this.ownerOf(agent)
    const room = findOrCreateDirectRoom(agent, owner, this.deps)
    const body = `@[${owner.name}](${owner.id}) My webhook is failing: ${failingAfter} deliveries in a row have failed, each with all its attempts. It stays enabled. GET ${deliveriesPath(agent.id)} shows why, and lets you send them again.`
    messageStore.postAs(agent, room.id, { body, sentVia })
  }

  private ownerOf({ ownerId }: Member): Member {
    const { members } = this.deps
    const owner = ownerId === null ? null : members.find(ownerId)
    return owner?.status === 'active' ? owner : members.firstOwner()
  }
}
