import t from 'tap'
import { type Actor, mention, openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, clock, owner, workspace } = chat
const grace = await chat.person('Grace')
const dora = await chat.person('Dora')
const stranger = await chat.person('Stranger')
const bot = await chat.agent('Bot')
const outsider = await chat.agent('Outsider')
const everyone: Record<string, Actor> = { owner, grace, dora, stranger, bot, outsider }
const members = [grace, dora, bot].map(({ member }) => member.id)
const { _id: room } = await chat.room(owner, { name: 'Talk', members })
const { _id: closed } = await chat.room(owner, { name: 'Closed', type: 'closed', members })
const { _id: direct } = await chat.room(owner, { name: 'Direct', type: 'direct', members })

const here = '@[here](__here__)'
const channel = '@[channel](__channel__)'
const all = '@[everyone](__everyone__)'

/** Returns who has a message in their inbox. */
async function notified(messageId: string): Promise<string[]> {
  const names = []
  for (const [name, actor] of Object.entries(everyone))
    if ((await chat.inbox(actor)).includes(messageId)) names.push(name)
  return names
}
const say = (body: string, where = room, author = owner) => chat.post(author, where, body)
const notifiedBy = async (body: string, where = room, author = owner) =>
  notified(await say(body, where, author))

t.test(
  'a mention by id notifies members of the room and, if the room is open, people outside of it',
  async (t) => {
    t.strictSame(await notifiedBy(`Dear ${mention(grace)} and ${mention(bot)}!`), ['grace', 'bot'])
    t.strictSame(await notifiedBy(`Dear ${mention(stranger)} and ${mention(outsider)}!`), ['stranger'])
    for (const where of [closed, direct])
      t.strictSame(await notifiedBy([grace, bot, stranger, outsider].map(mention).join(), where), [
        'grace',
        'bot',
      ])
  },
)

t.test('a mention counts by its id, whatever name it shows and wherever it is in the text', async (t) => {
  const id = grace.member.id
  for (const text of [
    `@[x](${id})`,
    `a@[Grace](${id})b`,
    `\`@[Grace](${id})\``,
    `> @[Grace](${id})`,
    `[@[Grace](${id})](x)`,
  ])
    t.strictSame(await notifiedBy(text), ['grace'], text)
})

t.test('only the canonical form is a mention', async (t) => {
  const id = grace.member.id
  for (const text of [
    '@Grace',
    `@[Grace] (${id})`,
    `@[Grace]`,
    `[Grace](${id})`,
    `@(${id})`,
    id,
    `@[Grace](${id.toUpperCase()})`,
    '@[Nobody](mem_00000000000000000000000000)',
    '@here @channel @everyone',
    '@[here](here)',
    `@[Gra\nce](${id})`,
  ])
    t.strictSame(await notifiedBy(text), [], text)
})

t.test('@here notifies the members of the room who are online', async (t) => {
  const beat = (actor: Actor) => call(actor, 'POST', '/presence', {})
  t.strictSame(await notifiedBy(here), [])
  for (const actor of [owner, grace, bot, stranger]) await beat(actor)
  clock.advance(89_999)
  await beat(dora)
  t.strictSame(await notifiedBy(here), ['grace', 'dora', 'bot'])
  t.strictSame(await notifiedBy(here, closed), ['grace', 'dora', 'bot'])
  clock.advance(1)
  t.strictSame(await notifiedBy(here), ['dora'])
  clock.advance(90_000)
})

t.test('@channel notifies every member of the room, and nobody outside', async (t) => {
  for (const where of [room, closed, direct])
    t.strictSame(await notifiedBy(channel, where), ['grace', 'dora', 'bot'])
})

t.test('@everyone notifies the room and, if it is open, all people', async (t) => {
  t.strictSame(await notifiedBy(all), ['grace', 'dora', 'stranger', 'bot'])
  for (const where of [closed, direct]) t.strictSame(await notifiedBy(all, where), ['grace', 'dora', 'bot'])
})

t.test('a message never notifies its author, and nobody twice', async (t) => {
  t.strictSame(await notifiedBy(`${mention(owner)} ${channel} ${all}`), ['grace', 'dora', 'stranger', 'bot'])
  const id = await say(`${mention(grace)} ${mention(grace)} ${channel}`)
  t.equal((await chat.inbox(grace)).split(id).length, 2)
})

t.test('a broadcast skips members whose involvement is nothing, and a mention by id does not', async (t) => {
  const involve = (involvement: string) => call(grace, 'PUT', `/rooms/${room}/involvement`, { involvement })
  for (const involvement of ['nothing', 'invisible']) {
    await involve(involvement)
    for (const broadcast of [channel, all])
      t.notOk((await notifiedBy(broadcast)).includes('grace'), involvement)
    t.strictSame(await notifiedBy(mention(grace)), ['grace'], involvement)
    t.ok((await notifiedBy(channel, closed)).includes('grace'), 'other rooms are not affected')
  }
  for (const involvement of ['mentions', 'everything']) {
    await involve(involvement)
    t.ok((await notifiedBy(channel)).includes('grace'), involvement)
  }
})

t.test('replies notify like messages, but not members who left or were deactivated', async (t) => {
  const threadId = await say('Top')
  t.strictSame(await notified(await chat.post(owner, room, mention(grace), { threadId })), ['grace'])
  await chat.leave(bot, room)
  t.strictSame(await notifiedBy(`${mention(bot)} ${channel}`), ['grace', 'dora'])
  await chat.join(bot, room)
  await workspace.stores.members.setStatus(bot.member.id, 'deactivated')
  const id = await say(`${mention(bot)} ${channel}`)
  await workspace.stores.members.setStatus(bot.member.id, 'active')
  t.strictSame(await notified(id), ['grace', 'dora'])
})

t.test(
  'an edit notifies those whom only the new text mentions, and withdraws what nobody has read',
  async (t) => {
    const id = await say(`${mention(grace)} and ${mention(dora)}`)
    t.strictSame(await notified(id), ['grace', 'dora'])
    await chat.edit(owner, room, id, `${mention(dora)} and ${mention(bot)}`)
    t.strictSame(await notified(id), ['dora', 'bot'])
    await chat.edit(owner, room, id, 'Nobody after all')
    t.strictSame(await notified(id), [])
    await chat.edit(owner, room, id, channel)
    t.strictSame(await notified(id), ['grace', 'dora', 'bot'])
    await chat.edit(owner, room, id, `${channel} ${mention(stranger)}`)
    t.strictSame(await notified(id), ['grace', 'dora', 'stranger', 'bot'])
  },
)

t.test('an edit does not notify a member who has read the mention', async (t) => {
  const id = await say(mention(grace))
  await call(grace, 'POST', '/inbox/read', { ids: [id] })
  await chat.edit(owner, room, id, `Still ${mention(grace)}`)
  t.strictSame(await notified(id), [])
  await chat.edit(owner, room, id, 'Not any more')
  await chat.edit(owner, room, id, `Again ${mention(grace)}`)
  t.strictSame(await notified(id), [], 'once per message')
})

t.test('a deleted message leaves every inbox', async (t) => {
  const id = await say(channel)
  const read = await say(channel)
  await call(grace, 'POST', '/inbox/read', { ids: [read] })
  for (const gone of [id, read]) {
    await chat.remove(owner, room, gone)
    t.strictSame(await notified(gone), [])
  }
})

t.test('an open room of a project notifies only members of the project outside of it', async (t) => {
  await workspace.stores.projects.add({ name: 'Garden', lead: grace.member })
  await workspace.stores.projects.join(workspace.stores.projects.find('garden')!, dora.member, 'member')
  const { _id } = await chat.room(grace, { name: 'Beds', projectId: 'garden' })
  const text = `${[owner, dora, stranger, bot].map(mention).join(' ')}`
  t.strictSame(
    await notifiedBy(text, _id, grace),
    ['dora'],
    'an owner outside of the project is not notified',
  )
  t.strictSame(await notifiedBy(all, _id, grace), ['dora'])
  await chat.join(dora, _id)
  t.strictSame(await notifiedBy(channel, _id, grace), ['dora'])
})

t.test('a mention in a closed room shows nothing to others', async (t) => {
  const id = await say(`${mention(grace)} the secret word`, closed)
  t.match(await chat.inbox(grace), 'the secret word')
  t.notMatch(await chat.inbox(stranger), 'the secret word')
  t.strictSame(await notified(id), ['grace'])
})
