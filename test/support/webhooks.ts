import type { Test } from 'tap'
import type { NewMember } from '../../core/members/member-store.ts'
import type { DeliveryView, NewWebhook, WebhookView } from '../../core/webhooks/types.ts'
import { type Actor, type Chat, openChat } from './chat.ts'
import { eventually } from './eventually.ts'
import { type ReceivedRequest, startReceiver, type WebhookReceiver } from './webhook-receiver.ts'
import type { WorkroomOptions } from './workroom.ts'

export interface WebhookAgent extends Actor {
  name: string
  secret: string
}

export interface WebhookAgentOptions {
  events?: NewWebhook['events']
  room?: string
  involvement?: string
  member?: Partial<NewMember>
}

export interface WebhookChat extends Chat {
  receiver: WebhookReceiver
  addAgentWithWebhook(name: string, options?: WebhookAgentOptions): Promise<WebhookAgent>
  /** The deliveries received for an agent, oldest first, once nothing is due. */
  receivedRequests(agent: WebhookAgent): Promise<ReceivedRequest[]>
  deliveries(agent: Actor): Promise<DeliveryView[]>
  webhook(agent: Actor): Promise<WebhookView>
  /** Waits until every due or running attempt has an outcome. */
  settled(): Promise<void>
  /** Moves the clock and waits until every attempt that became due has an outcome. */
  advance(ms: number): Promise<void>
}

export async function openWebhookChat(t: Test, options: WorkroomOptions = {}): Promise<WebhookChat> {
  const receiver = await startReceiver(t)
  const chat = await openChat(t, { config: { outbound: { allow: ['127.0.0.1'] } }, ...options })
  const { clock, owner } = chat
  const agents: WebhookAgent[] = []
  const succeed = async (method: string, path: string, body?: unknown, actor: Actor = owner) => {
    const response = await chat.call(actor, method, path, body)
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.json
  }
  const webhookOf = ({ member }: Actor) => `/members/${member.id}/webhook`
  const deliveries = async (agent: Actor): Promise<DeliveryView[]> =>
    (await succeed('GET', `${webhookOf(agent)}/deliveries?limit=100`)).deliveries
  const isSettled = ({ state, nextAttemptAt, lastError }: DeliveryView) =>
    state !== 'pending' || (nextAttemptAt! > clock.now() && lastError !== 'no_outcome')
  const settled = async () => {
    await eventually(async () => (await Promise.all(agents.map(deliveries))).flat().every(isSettled))
  }
  const webhooks = {
    receiver,
    deliveries,
    settled,
    async addAgentWithWebhook(
      name: string,
      { events, room, involvement, member = {} }: WebhookAgentOptions = {},
    ) {
      const actor = await chat.agent(name, member)
      const url = receiver.urlOf(name)
      const { secret } = await succeed('PUT', webhookOf(actor), { url, ...(events && { events }) })
      if (room !== undefined) {
        await succeed('POST', `/rooms/${room}/members`, { memberId: actor.member.id })
        if (involvement !== undefined) {
          await succeed('PUT', `/rooms/${room}/involvement`, { involvement }, actor)
        }
      }
      const agent = { ...actor, name, secret }
      agents.push(agent)
      return agent
    },
    async receivedRequests({ name }: WebhookAgent) {
      await settled()
      return receiver.requests(name)
    },
    webhook: (agent: Actor) => succeed('GET', webhookOf(agent)),
    async advance(ms: number) {
      clock.advance(ms)
      await settled()
    },
  }
  // Copies descriptors, because the getters return new values after a restart.
  return Object.defineProperties(webhooks, Object.getOwnPropertyDescriptors(chat)) as WebhookChat
}
