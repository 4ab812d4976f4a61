import type { Member } from '../core/access/member.ts'
import { type WebhookEvent, webhookEvents } from '../core/webhooks/types.ts'
import { requireAgent, type WebhookStore } from '../core/webhooks/webhook-store.ts'
import { webhookStoreOf } from '../core/workspace/webhook-administration.ts'
import { readSettings } from '../data/home.ts'
import { requireMember, withWorkspace } from './administer.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { readConfig } from './config.ts'
import { isoMinute, table } from './table.ts'

export async function setWebhook(args: Arguments): Promise<undefined> {
  const text = args.require('member')
  const url = args.require('url')
  const events = eventsOf(args)
  const result = await withAgent(args, text, async (agent, webhooks) => {
    const change = await webhooks.set(agent, { url, ...(events && { events }) })
    const { id: memberId, name } = agent
    return {
      name,
      memberId,
      url: change?.webhook.url ?? null,
      events: change?.webhook.events ?? [],
      change,
    }
  })
  const { name, change, ...address } = result
  const secret = change?.webhook.secret ?? null
  args.print(
    { ...address, secret },
    secret === null
      ? `The webhook of ${name} is removed.`
      : `The webhook of ${name} is ${url}, for ${address.events.join(' and ') || 'nothing'}. The signing secret:\n\n  ${secret}\n`,
  )
}

export async function rotateSecret(args: Arguments): Promise<undefined> {
  const { name, ...result } = await withAgent(args, args.require('member'), async (agent, webhooks) => {
    const { url, events, secret } = await webhooks.rotate(agent)
    return { name: agent.name, memberId: agent.id, url, events, secret }
  })
  args.print(
    result,
    `The new signing secret of ${name}; the old secret also signs for 24 hours:\n\n  ${result.secret}\n`,
  )
}

export async function listDeliveries(args: Arguments): Promise<undefined> {
  const deliveries = await withAgent(args, args.require('member'), (agent, webhooks) =>
    webhooks.deliveries(agent),
  )
  args.print(
    { deliveries },
    table(
      ['id', 'event', 'created', 'state', 'attempts', 'last response', 'next attempt'],
      deliveries.map(({ id, event, createdAt, state, attempts, lastStatus, lastError, nextAttemptAt }) => [
        id,
        event,
        isoMinute(createdAt),
        state,
        String(attempts),
        [lastStatus ?? '', lastError ?? ''].join(' ').trim(),
        nextAttemptAt === null ? '' : isoMinute(nextAttemptAt),
      ]),
    ),
  )
}

export async function redeliver(args: Arguments): Promise<undefined> {
  const text = args.require('member')
  const id = args.require('delivery')
  const result = await withAgent(args, text, (agent, webhooks) => webhooks.redeliver(agent, id))
  args.print(result, `The delivery ${id} is queued again.`)
}

function withAgent<T>(
  args: Arguments,
  member: string,
  task: (agent: Member, webhooks: WebhookStore) => T | Promise<T>,
): Promise<T> {
  return withWorkspace(args.home, (administration) => {
    const config = readConfig({ flags: {}, environment: args.context.env, file: readSettings(args.home) })
    const agent = requireMember(administration, member)
    requireAgent(agent)
    return task(agent, webhookStoreOf(administration, config))
  })
}

function eventsOf(args: Arguments): WebhookEvent[] | undefined {
  const names = args
    .text('events')
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return names?.map((name) => {
    const event = webhookEvents.find((one) => one === name)
    if (event) return event
    throw new UsageError(
      `--events must be one or more of ${webhookEvents.join(', ')}, not ${JSON.stringify(name)}`,
    )
  })
}
