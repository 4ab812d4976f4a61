import { webhookConfigurationOf } from '../core/webhooks/administration.ts'
import { type WebhookEvent, webhookEvents } from '../core/webhooks/types.ts'
import { readSettings } from '../data/home.ts'
import { administer, foundMember } from './administer.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { readConfig } from './config.ts'

/** `workroom webhook set` */
export async function setWebhook(args: Arguments): Promise<undefined> {
  const text = args.need('member')
  const url = args.need('url')
  const events = eventsOf(args)
  const answer = await administer(args.home, async (administration) => {
    const config = readConfig({ flags: {}, environment: process.env, file: readSettings(args.home) })
    const agent = foundMember(administration, text)
    const set = await webhookConfigurationOf(administration, config).set(agent, {
      url,
      ...(events && { events }),
    })
    const { id: memberId, name } = agent
    return { name, memberId, url: set?.webhook.url ?? null, events: set?.webhook.events ?? [], set }
  })
  const { name, set, ...address } = answer
  const secret = set?.webhook.secret ?? null
  args.answer(
    { ...address, secret },
    secret === null
      ? `${name} has no webhook any more.`
      : `${name} is called at ${url} for ${address.events.join(' and ') || 'nothing'}. The signing secret:\n\n  ${secret}\n`,
  )
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
    throw new UsageError(`--events must hold ${webhookEvents.join(' or ')}, not ${JSON.stringify(name)}`)
  })
}
