import type { WebhookRow, WebhooksTable } from '../../data/tables/webhooks.ts'
import type { Member } from '../access/member.ts'
import type { MemberStore } from '../members/member-store.ts'
import { deliveriesPath } from '../paths.ts'
import { type DirectRoomDeps, findOrCreateDirectRoom } from '../room-members/direct-room.ts'
import type { PostsAs } from './post-as.ts'

/** How many deliveries in a row must fail before a webhook counts as failing. */
const failingAfter = 5

/** Whether so many deliveries in a row have failed that a webhook counts as failing. */
export const isFailing = ({ failures }: Pick<WebhookRow, 'failures'>): boolean => failures >= failingAfter

/** The client that the notice names. */
const sentVia = 'workroom'

export interface HealthOptions extends DirectRoomDeps {
  webhooks: WebhooksTable
  members: MemberStore
  /** Where things are said. */
  talk: PostsAs<{ body: string; sentVia: string }>
}

/** Whether what is sent to agents arrives. A webhook that fails is never switched off; its owner is told. */
export class WebhookHealth {
  private readonly deps: HealthOptions

  constructor(deps: HealthOptions) {
    this.deps = deps
  }

  /** A delivery has arrived; inside the commit that records it. */
  recordSuccess(memberId: string): void {
    const { webhooks } = this.deps
    const webhook = webhooks.find(memberId)
    if (!webhook || webhook.failures === 0) return
    webhooks.put({ ...webhook, failures: 0, failingSinceMs: null })
  }

  /** A delivery has failed with all its attempts; inside the commit that records it. */
  recordFailure(memberId: string): void {
    const { clock, webhooks } = this.deps
    const webhook = webhooks.find(memberId)
    if (!webhook) return
    const failures = webhook.failures + 1
    webhooks.put({ ...webhook, failures, failingSinceMs: webhook.failingSinceMs ?? clock.now() })
    if (failures === failingAfter) this.notifyOwner(memberId)
  }

  /** In the direct room of the two, where a mention brings it to the inbox and by mail. */
  private notifyOwner(memberId: string): void {
    const { members, talk } = this.deps
    const agent = members.find(memberId)!
    const owner = this.ownerOf(agent)
    const room = findOrCreateDirectRoom(agent, owner, this.deps)
    const body = `@[${owner.name}](${owner.id}) My webhook is failing: ${failingAfter} deliveries in a row have failed, each with all its attempts. It stays switched on. GET ${deliveriesPath(agent.id)} shows why, and sends them again.`
    talk.postAs(agent, room.id, { body, sentVia })
  }

  private ownerOf({ ownerId }: Member): Member {
    const { members } = this.deps
    const owner = ownerId === null ? null : members.find(ownerId)
    return owner?.status === 'active' ? owner : members.firstOwner()
  }
}
