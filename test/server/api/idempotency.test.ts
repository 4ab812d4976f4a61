import t from 'tap'
import { type Actor, mention, openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, clock, owner } = chat
const grace = await chat.person('Grace')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [grace.member.id] })
const hourMs = 3_600_000

const send = (key: string | undefined, body: unknown, where = room, actor: Actor = owner) =>
  call(
    actor,
    'POST',
    `/rooms/${where}/messages`,
    { body },
    key === undefined ? {} : { 'Idempotency-Key': key },
  )
const sent = async (...request: Parameters<typeof send>): Promise<string> => {
  const { status, json } = await send(...request)
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`)
  return json.messageId
}
const bodies = async (where = room) =>
  (await chat.page(owner, where, 'limit=100')).page.map(({ body }) => body)

t.test('a repeated request gets the first answer and sends nothing', async (t) => {
  const first = await send('one', 'Once')
  const again = await send('one', 'Once')
  t.equal(again.status, 201)
  t.strictSame(again.json, first.json)
  t.strictSame(await bodies(), ['Once'])
  t.not(await sent('two', 'Once'), first.json.messageId, 'another key is another message')
  t.not(await sent(undefined, 'Once'), await sent(undefined, 'Once'), 'without a key each counts')
})

t.test('the key decides, whatever the repeated request contains', async (t) => {
  const elsewhere = await chat.room(owner)
  const id = await sent('same', 'First text')
  t.equal(await sent('same', 'Another text'), id)
  t.equal(await sent('same', 'Another room', elsewhere._id), id)
  t.strictSame(await bodies(elsewhere._id), [])
})

t.test('an idempotency key is one member’s own, across all of their API keys', async (t) => {
  const id = await sent('shared', 'From Ada')
  t.not(await sent('shared', 'From Grace', room, grace), id)
  const { key } = await chat.workspace.stores.members.addKey(owner.member.id)
  t.equal(await sent('shared', 'From Ada, by another key', room, { ...owner, key }), id)
})

t.test('an idempotency key is remembered for 24 hours', async (t) => {
  const id = await sent('daily', 'Good morning')
  clock.advance(24 * hourMs - 1)
  t.equal(await sent('daily', 'Good morning'), id)
  clock.advance(1)
  const next = await sent('daily', 'Good morning')
  t.not(next, id)
  t.equal(await sent('daily', 'Good morning'), next)
})

t.test('simultaneous requests with one key create one message', async (t) => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => sent('at once', 'Together')))
  t.equal(new Set(ids).size, 1)
  t.equal((await bodies()).filter((body) => body === 'Together').length, 1)
})

t.test('a repeated request notifies nobody again', async (t) => {
  const id = await sent('told', mention(grace))
  await call(grace, 'POST', '/inbox/read')
  await sent('told', mention(grace))
  t.notMatch(await chat.inbox(grace), id)
})

t.test('a refused request may be repeated with its key', async (t) => {
  const closed = await chat.room(grace, { type: 'closed' })
  t.equal((await send('refused', '')).status, 400)
  t.equal((await send('refused', 'x', closed._id)).status, 403)
  const id = await sent('refused', 'Now it is good')
  t.equal(await sent('refused', 'Now it is good'), id)
})

t.test('an idempotency key has 1 to 128 printable characters', async (t) => {
  for (const key of ['x', 'x'.repeat(128), 'a b', '"quoted"', '~!@#$%^&*()'])
    t.equal((await send(key, 'Good key')).status, 201, key)
  const before = await bodies()
  for (const key of ['', 'x'.repeat(129), 'tab\there']) {
    const { status, json } = await send(key, 'Bad key')
    t.match([status, json.error], [400, /Idempotency-Key/], JSON.stringify(key))
  }
  t.strictSame(await bodies(), before)
})

t.test('a repeated request gets the first answer even if its message has been deleted', async (t) => {
  const id = await sent('deleted', 'Oh no')
  await chat.remove(owner, room, id)
  t.equal(await sent('deleted', 'Oh no'), id)
  t.notOk((await bodies()).includes('Oh no'))
})

t.test('answers are remembered after a restart', async (t) => {
  const id = await sent('kept', 'Before the restart')
  await chat.restart()
  t.equal(await sent('kept', 'After the restart'), id)
})
