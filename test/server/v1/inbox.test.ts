import t, { type Test } from 'tap'
import { type Actor, type Chat, mention, openChat } from '../../support/chat.ts'

interface InboxRow {
  _id: string
  kind: string
  author: { name: string }
  title: string
  preview: string | null
  url: string
}

async function openInbox(t: Test) {
  const chat = await openChat(t)
  const grace = await chat.person('Grace', 'general')
  const linus = await chat.person('Linus', 'general')
  return { ...partsOf(chat), chat, grace, linus }
}

function partsOf(chat: Chat) {
  const send = async (actor: Actor, method: string, path: string, body?: unknown) => {
    const response = await chat.request(method, path, {
      key: actor.key,
      ...(body !== undefined && { body: body as string }),
    })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.json
  }
  const records = async (actor: Actor): Promise<InboxRow[]> => (await send(actor, 'GET', '/v1/inbox')).records
  const kinds = async (actor: Actor) => (await records(actor)).map(({ kind }) => kind)
  return { send, records, kinds }
}

const board = '/v1/fs/projects/general/board'
const cardFor = (name: string) => `---\nassignees: [${name}]\n---\n# Fix the door\n`

t.test(
  'a card is in the inbox of its assignee, unless the assignee has assigned it to themselves',
  async (t) => {
    const { chat, grace, linus, kinds, records, send } = await openInbox(t)
    const card = await send(chat.owner, 'PUT', `${board}/todo/fix.md`, cardFor('Grace'))
    const [record] = await records(grace)
    t.match(record, { kind: 'card', title: 'Fix the door', author: { name: 'Ada' } })
    t.match(record!.url, /\/projects\/general\/board\/1$/)
    t.same(await kinds(chat.owner), [])
    t.match(await chat.inbox(grace), 'no unread mentions', 'the page of mentions is unchanged')
    await send(chat.owner, 'PUT', card.path, cardFor('Linus'))
    t.same([await kinds(grace), await kinds(linus)], [[], ['card']], 'a former assignee has no record')
    await send(linus, 'PUT', card.path, cardFor('Ada, Linus'))
    t.same([await kinds(chat.owner), await kinds(linus)], [['card'], ['card']])
    await send(chat.owner, 'DELETE', card.path)
    t.same([await kinds(chat.owner), await kinds(linus)], [[], []], 'a deleted card is in no inbox')
  },
)

t.test('an ask notifies its assignees, and its answer notifies its creator', async (t) => {
  const { chat, grace, kinds, records, send } = await openInbox(t)
  const { askId } = await send(chat.owner, 'POST', '/api/asks', {
    project: 'general',
    kind: 'question',
    title: 'Which colour?',
    body: 'For the door',
    options: ['Red', 'Blue'],
    assignees: [grace.member.id],
  })
  t.match(await records(grace), [{ kind: 'ask', title: 'Which colour?', preview: 'For the door' }])
  await send(grace, 'POST', `/api/asks/${askId}/resolve`, { chosenOption: 'Blue' })
  t.same(await kinds(grace), [], 'a closed ask is in no inbox')
  t.match(await records(chat.owner), [{ kind: 'answer', author: { name: 'Grace' }, preview: 'Blue' }])
})

t.test('an ask announced in a room notifies its assignee and its creator once each', async (t) => {
  const { chat, grace, linus, kinds, send } = await openInbox(t)
  const { _id: roomId } = await chat.room(chat.owner, { type: 'closed', members: [grace.member.id] })
  const assignees = [grace.member.id, linus.member.id]
  const ask = { project: 'general', title: 'Which colour?', roomId, assignees }
  const { askId } = await send(chat.owner, 'POST', '/api/asks', ask)
  t.same([await kinds(grace), await kinds(linus)], [['mention'], ['ask']], 'Linus is not in the room')
  await send(grace, 'POST', `/api/asks/${askId}/claim`)
  await send(grace, 'POST', `/api/asks/${askId}/resolve`, { resolution: 'Blue' })
  t.same(await kinds(chat.owner), ['mention'])
})

t.test('a comment notifies the author of the post, and a reply those in its thread', async (t) => {
  const { chat, grace, linus, kinds, records, send } = await openInbox(t)
  const { id } = await send(chat.owner, 'PUT', '/v1/fs/projects/general/posts/news.md', '# News\n\nDone\n')
  const comments = `/v1/posts/${id}/comments`
  const { comment } = await send(grace, 'POST', comments, { body: 'Well done' })
  t.match(await records(chat.owner), [{ kind: 'comment', title: 'News', preview: 'Well done' }])
  await send(linus, 'POST', comments, { body: 'Indeed', parentId: comment._id })
  t.same([await kinds(grace), await kinds(chat.owner)], [['reply'], ['comment', 'comment']])
  const again = await send(linus, 'POST', comments, { body: `${mention(grace)} look`, parentId: comment._id })
  t.same((await kinds(grace)).sort(), ['mention', 'reply'], 'a mention does not notify twice')
  await send(linus, 'DELETE', `${comments}/${again.comment._id}`)
  t.same(await kinds(grace), ['reply'])
})

t.test(
  'a reply notifies members in its thread, until they have read it, unless they mute the room',
  async (t) => {
    const { chat, grace, linus, kinds, records, send } = await openInbox(t)
    const { _id: room } = await chat.room(chat.owner, { members: [grace.member.id, linus.member.id] })
    const root = await chat.post(grace, room, 'Shall we?')
    t.same(await kinds(chat.owner), [], 'a message that is no reply notifies nobody')
    const first = await chat.post(linus, room, 'Yes', { threadId: root })
    t.match(await records(grace), [{ _id: first, kind: 'reply', author: { name: 'Linus' }, preview: 'Yes' }])
    t.match((await records(grace))[0]!.url, `?at=${first}#${first}`)
    await chat.post(grace, room, 'Good', { threadId: root })
    t.same(await kinds(linus), ['reply'], 'a member who has replied is in the thread')
    await chat.call(grace, 'PUT', `/rooms/${room}/read`, { messageId: first })
    t.same(await kinds(grace), [])
    await chat.call(grace, 'PUT', `/rooms/${room}/involvement`, { involvement: 'nothing' })
    const last = await chat.post(linus, room, 'Again', { threadId: root })
    t.same(await kinds(grace), [])
    await chat.remove(linus, room, last)
    await chat.remove(linus, room, first)
    t.same(await kinds(chat.owner), [])
    t.same((await send(linus, 'POST', '/v1/inbox/read', {})).read, 1)
    t.same(await kinds(linus), [])
  },
)

t.test('a direct message notifies the other people in the room, and no agents', async (t) => {
  const { chat, grace, linus, kinds, send } = await openInbox(t)
  const agent = await chat.agent('Helper')
  const members = [grace.member.id, agent.member.id]
  const { _id: room } = await chat.room(chat.owner, { type: 'direct', members })
  const message = await chat.post(chat.owner, room, 'Hello')
  t.same([await kinds(grace), await kinds(linus), await kinds(agent)], [['direct'], [], []])
  t.same((await send(linus, 'POST', '/v1/inbox/read', { ids: [message] })).read, 0)
  t.same((await send(grace, 'POST', '/v1/inbox/read', { ids: [message] })).read, 1)
  await chat.post(chat.owner, room, `${mention(grace)} hello`)
  t.same(await kinds(grace), ['mention'], 'a mention does not notify twice')
})

t.test('only people have settings, and invalid settings are refused with the valid ones', async (t) => {
  const { chat, grace, send } = await openInbox(t)
  const path = '/v1/inbox/settings'
  const { settings } = await send(grace, 'GET', path)
  t.same([settings.mail.length, settings.quietFrom, settings.pausedUntil], [8, null, null])
  const chosen = await send(grace, 'PATCH', path, {
    mail: ['mention', 'card'],
    quietFrom: '22:00',
    quietUntil: '07:30',
    timeZone: 'Europe/Lisbon',
    pauseMinutes: 45,
  })
  t.same(chosen.settings, {
    mail: ['mention', 'card'],
    quietFrom: '22:00',
    quietUntil: '07:30',
    timeZone: 'Europe/Lisbon',
    pausedUntil: chat.clock.now() + 45 * 60_000,
  })
  t.same((await send(grace, 'PATCH', path, { pauseMinutes: 0 })).settings.pausedUntil, null)
  for (const [body, message] of [
    [{ mail: ['news'] }, /The kinds are mention, card/],
    [{ quietFrom: '25:00' }, /looks like 22:00/],
    [{ quietFrom: null }, /both/],
    [{ timeZone: 'Mars' }, /IANA/],
    [{ pauseMinutes: -1 }, /0 to 43200/],
    [{ sound: true }, /no field sound/],
  ] as const) {
    const response = await chat.request('PATCH', path, { key: grace.key, body })
    t.match([response.status < 500 && response.status >= 400, response.text], [true, message])
  }
  const agent = await chat.agent('Helper')
  t.equal((await chat.request('PATCH', path, { key: agent.key, body: {} })).status, 403)
})
