import t, { type Test } from 'tap'
import { mention } from '../../support/chat.ts'
import { openWebhookChat } from '../../support/webhooks.ts'

const chat = await openWebhookChat(t)
const { clock, owner, post } = chat
const grace = await chat.person('Grace')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [grace.member.id] })

let count = 0
/** Adds an agent to the room that other tests do not call. */
const agent = (options = {}) => {
  count += 1
  return chat.addAgentWithWebhook(`Bot ${count}`, { room, ...options })
}

/** Returns the events of an agent's calls. */
const delivered = async (bot: Awaited<ReturnType<typeof agent>>) =>
  (await chat.receivedRequests(bot)).map(({ json }) => json.event)

t.test('a mention is delivered with everything that the interface names', async (t) => {
  const bot = await agent()
  const body = `Hello ${mention(bot)}, and ${mention(grace)}: "ü" 🎉 \u2028 '`
  const id = await post(grace, room, body)
  const [called, ...others] = await chat.receivedRequests(bot)
  t.same(others, [])
  t.strictSame(called!.json, {
    service: '1.0',
    timestamp: clock.now(),
    org: { id: chat.workspace.identity.id, name: 'Testers', slug: 'testers' },
    room: { id: room, name: 'Talk', type: 'open' },
    message: {
      id,
      body,
      bodyText: `Hello @${bot.name}, and @Grace: "ü" 🎉 \u2028 '`,
      authorId: grace.member.id,
      authorName: 'Grace',
      authorType: 'human',
      createdAt: clock.now(),
    },
    id: called!.json.id,
    event: 'mention',
    mentions: [bot.member.id, grace.member.id],
  })
  t.match(called!.json.id, /^wh_[0-9a-hjkmnp-tv-z]{26}$/)
  t.match(called!.headers, {
    'content-type': 'application/json',
    'content-length': String(called!.body.length),
    'user-agent': 'Workroom',
    'x-service-delivery-id': called!.json.id,
    'x-service-event': 'mention',
    'x-service-retry-num': '0',
    'x-service-timestamp': String(Math.floor(clock.now() / 1000)),
  })
  t.match(await chat.deliveries(bot), [
    { id: called!.json.id, event: 'mention', state: 'delivered', attempts: 1, lastStatus: 204 },
  ])
})

t.test('a message is delivered to agents whose involvement is everything', async (t) => {
  const all = await agent({ involvement: 'everything' })
  const some = await agent({ involvement: 'mentions' })
  const deaf = await agent({ involvement: 'nothing' })
  const off = await agent({ involvement: 'everything', events: ['mention'] })
  const outside = await chat.addAgentWithWebhook('Outsider')
  const id = await post(grace, room, 'Good morning')
  const [called] = await chat.receivedRequests(all)
  t.match(called, { json: { event: 'message.created', message: { id }, mentions: [] } })
  for (const bot of [some, deaf, off, outside]) t.same(await delivered(bot), [], bot.name)
  const reply = await post(grace, room, 'And a reply', { threadId: id })
  t.match((await chat.receivedRequests(all))[1]!.json.message, { id: reply, threadId: id })
})

t.test('a message that mentions the agent is delivered once, as a mention', async (t) => {
  const bot = await agent({ involvement: 'everything' })
  await post(grace, room, `${mention(bot)} ${mention(bot)} @[everyone](__everyone__)`)
  t.same(await delivered(bot), ['mention'])
})

t.test('without the event mention, a mention is delivered like any message', async (t) => {
  const all = await agent({ involvement: 'everything', events: ['message.created'] })
  const some = await agent({ involvement: 'mentions', events: ['message.created'] })
  const none = await agent({ involvement: 'everything', events: [] })
  await post(grace, room, [all, some, none].map(mention).join(' '))
  t.same(await delivered(all), ['message.created'])
  t.same(await delivered(some), [])
  t.same(await delivered(none), [])
})

t.test('a broadcast is delivered as a mention to the agents that it notifies', async (t) => {
  const bot = await agent()
  const deaf = await agent({ involvement: 'nothing' })
  for (const id of ['__channel__', '__everyone__', '__here__']) {
    await post(grace, room, `@[all](${id}) and ${mention(grace)}`)
  }
  const calls = await chat.receivedRequests(bot)
  t.same(
    calls.map(({ json }) => [json.event, json.mentions]),
    Array(2).fill(['mention', [grace.member.id, bot.member.id]]),
    'agents that are online are not called',
  )
  t.same(await delivered(deaf), [])
})

t.test('a broadcast is the same for every agent, with an id of its own', async (t) => {
  const bots = [await agent(), await agent()]
  await post(grace, room, '@[channel](__channel__) hello')
  const [one, other] = await Promise.all(
    bots.map(async (bot) => (await chat.receivedRequests(bot)).at(-1)!.json),
  )
  t.not(one.id, other.id)
  t.same([one.mentions, other.mentions], [[bots[0]!.member.id], [bots[1]!.member.id]])
  t.same({ ...one, id: 0, mentions: 0 }, { ...other, id: 0, mentions: 0 })
})

t.test('an agent is not called for its own messages', async (t) => {
  const bot = await agent({ involvement: 'everything' })
  await post(bot, room, `I am ${mention(bot)}, @[channel](__channel__)`)
  t.same(await delivered(bot), [])
})

t.test('a heartbeat holds room webhooks back for 90 seconds, and the inbox still notifies', async (t) => {
  const bot = await agent({ involvement: 'everything' })
  await chat.call(bot, 'POST', '/presence', {})
  clock.advance(89_999)
  const id = await post(grace, room, `Are you there, ${mention(bot)}?`)
  t.same(await delivered(bot), [])
  t.same(await chat.deliveries(bot), [], 'nor later: there is no delivery')
  t.match(await chat.inbox(bot), id)
  clock.advance(1)
  await post(grace, room, `And now, ${mention(bot)}?`)
  t.same(await delivered(bot), ['mention'])
})

t.test('a deactivated agent is not called', async (t) => {
  const bot = await agent({ involvement: 'everything' })
  await chat.workspace.stores.members.setStatus(bot.member.id, 'deactivated')
  await post(grace, room, `${mention(bot)}`)
  await chat.workspace.stores.members.setStatus(bot.member.id, 'active')
  t.same(await delivered(bot), [])
})

t.test('an edit calls only the agents that it mentions for the first time', async (t) => {
  const one = await agent({ involvement: 'everything' })
  const other = await agent()
  const off = await agent({ involvement: 'everything', events: ['message.created'] })
  const id = await post(grace, room, `${mention(one)}`)
  await chat.settled()
  await chat.edit(grace, room, id, `${mention(one)} ${mention(other)} ${mention(off)}`)
  await chat.edit(grace, room, id, `${mention(one)}`)
  await chat.edit(grace, room, id, `${mention(other)} again`)
  t.same(await delivered(one), ['mention'])
  t.same(await delivered(off), ['message.created'])
  const calls = await chat.receivedRequests(other)
  t.equal(calls.length, 1)
  t.match(calls[0]!.json, {
    event: 'mention',
    message: { id, bodyText: `@${one.name} @${other.name} @${off.name}` },
  })
})

t.test('a request repeated with its idempotency key calls nobody again', async (t) => {
  const bot = await agent()
  const headers = { 'Idempotency-Key': 'once' }
  for (let time = 0; time < 2; time++) {
    await chat.call(grace, 'POST', `/rooms/${room}/messages`, { body: mention(bot) }, headers)
  }
  t.same(await delivered(bot), ['mention'])
})

t.test('in a closed room only agents that are in it are called', async (t) => {
  const closed = (await chat.room(owner, { type: 'closed' }))._id
  const bot = await chat.addAgentWithWebhook('Insider', { room: closed })
  const outside = await agent()
  await post(owner, closed, `${mention(bot)} ${mention(outside)}`)
  t.match(await chat.receivedRequests(bot), [{ json: { room: { type: 'closed' } } }])
  t.same(await delivered(outside), [])
})

await t.test('posts', async (t: Test) => {
  const posts = '/v1/fs/projects/general/posts'
  const publish = async (key: string, title: string, text: string) => {
    const name = title.toLowerCase().replaceAll(' ', '-')
    const response = await chat.request('PUT', `${posts}/2026-01-01-${name}.md`, {
      key,
      body: `# ${title}\n\n${text}\n`,
    })
    if (response.status !== 201) throw new Error(response.text)
    return response.json as { id: string; path: string }
  }
  const inProject = async (name: string, options = {}) => {
    const bot = await chat.addAgentWithWebhook(name, options)
    const {
      stores: { projects },
    } = chat.workspace
    await projects.join(projects.find('general')!, bot.member, 'member')
    return bot
  }

  await t.test('a mention in a post is delivered with it, even to an agent that is online', async (t) => {
    const bot = await inProject('Reader')
    const outside = await chat.addAgentWithWebhook('Stranger')
    await chat.call(bot, 'POST', '/presence', {})
    const { id } = await publish(owner.key, 'News', `For @Reader and @Stranger.`)
    const calls = await chat.receivedRequests(bot)
    t.equal(calls.length, 1)
    const { general } = { general: chat.workspace.stores.projects.find('general')! }
    t.strictSame(calls[0]!.json, {
      service: '1.0',
      timestamp: clock.now(),
      org: { id: chat.workspace.identity.id, name: 'Testers', slug: 'testers' },
      project: { id: general.id, name: 'General', slug: 'general' },
      post: {
        id,
        title: 'News',
        body: `# News\n\nFor ${mention(bot)} and ${mention(outside)}.\n`,
        bodyText: '# News\n\nFor @Reader and @Stranger.\n',
        authorId: owner.member.id,
        authorName: 'Ada',
        authorType: 'human',
        createdAt: clock.now(),
      },
      id: calls[0]!.json.id,
      event: 'mention',
      mentions: [bot.member.id, outside.member.id],
    })
    t.same(await chat.receivedRequests(outside), [], 'agents outside of the project are not called')
  })

  await t.test('a broadcast in a post calls the agents of the project', async (t) => {
    const bot = await inProject('Listener')
    const off = await inProject('Mute', { events: ['message.created'] })
    await publish(owner.key, 'Calling', 'All of you: @[channel](__channel__)')
    t.match(await chat.receivedRequests(bot), [{ json: { event: 'mention', mentions: [bot.member.id] } }])
    t.same(await chat.receivedRequests(off), [])
  })

  await t.test('an agent is not called for its own post, and a draft calls nobody', async (t) => {
    const bot = await inProject('Writer')
    await publish(bot.key, 'Mine', 'I am @Writer.')
    await chat.request('PUT', '/v1/fs/projects/general/drafts/2026-01-01-later.md', {
      body: '# Later\n\nFor @Writer.\n',
    })
    t.same(await chat.receivedRequests(bot), [])
  })
})
