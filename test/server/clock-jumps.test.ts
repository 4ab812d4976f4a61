import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { mention } from '../support/chat.ts'
import { eventsOf } from '../support/event-log.ts'
import { openWebhookChat } from '../support/webhooks.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs
const docs = '/v1/fs/projects/general/docs'

const chat = await openWebhookChat(t)
const { clock, home, owner, request } = chat

let count = 0
/** Deletes a new document. @returns its id */
async function deleted(): Promise<string> {
  const { id, path } = (await request('PUT', `${docs}/gone-${++count}.md`, { body: `# Gone ${count}\n` }))
    .json
  await request('DELETE', path)
  return id
}

const restore = (id: string) => request('POST', `/v1/fs/projects/general/trash/${id}/_restore`)
const lies = (id: string) => readdirSync(join(home, 'trash/general')).some((name) => name.includes(id))
const isListed = async (id: string) =>
  (await request('GET', '/v1/fs/projects/general/trash')).json.trash.some(
    (row: { id: string }) => row.id === id,
  )

/** Sends requests while the clock is off by `ms`, then sets it right. */
async function jump(ms: number): Promise<void> {
  const beforeMs = clock.now()
  clock.set(beforeMs + ms)
  await deleted()
  await request('GET', '/v1/fs/projects/general/trash')
  clock.advance(2 * hourMs)
  await deleted()
  clock.set(beforeMs)
}

for (const [what, ms] of Object.entries({
  'a year ahead': yearMs,
  'a month ahead': 31 * dayMs,
  'a year back': -yearMs,
})) {
  t.test(`a clock that is ${what} for a while empties no trash`, async (t) => {
    const id = await deleted()
    await jump(ms)
    t.ok(lies(id))
    t.ok(await isListed(id))
    t.equal((await restore(id)).status, 201)
  })
}

t.test(
  'a document deleted while the clock is a year behind is kept for 30 days of elapsed time',
  async (t) => {
    const nowMs = clock.now()
    clock.set(nowMs - yearMs)
    const id = await deleted()
    clock.set(nowMs)
    clock.advance(29 * dayMs)
    await deleted()
    t.ok(lies(id))
    t.ok(await isListed(id))
    clock.advance(3 * dayMs)
    await chat.eventually(() => !lies(id))
  },
)

t.test('after a clock jump nothing is purged for a day, and then what is old by both clocks', async (t) => {
  const id = await deleted()
  clock.advance(30 * dayMs - hourMs)
  await jump(yearMs)
  clock.advance(2 * hourMs)
  await deleted()
  t.ok(lies(id), 'nothing is purged within a day of a jump')
  clock.advance(dayMs)
  await chat.eventually(() => !lies(id))
  t.notOk(await isListed(id))
  t.equal((await restore(id)).status, 404)
})

t.test('a purged document stays gone, even if the clock is set back before its deletion', async (t) => {
  const id = await deleted()
  clock.advance(32 * dayMs)
  await chat.eventually(() => !lies(id))
  clock.set(clock.now() - 31 * dayMs)
  t.equal((await restore(id)).status, 404)
  t.notOk(await isListed(id))
})

t.test('a clock jump purges no replaced files either', async (t) => {
  const kept = join(home, 'trash/general/files')
  mkdirSync(kept, { recursive: true })
  const name = `${clock.now()}-plan.txt`
  writeFileSync(join(kept, name), 'Before.')
  const basic = Buffer.from(`me:${owner.key}`).toString('base64')
  const replace = (body: string) =>
    fetch(`${chat.url}/dav/projects/general/files/other.txt`, {
      method: 'PUT',
      headers: { Authorization: `Basic ${basic}` },
      body,
    })
  await replace('one')
  clock.set(clock.now() + yearMs)
  await replace('two')
  t.ok(readdirSync(kept).includes(name))
  clock.set(clock.now() - yearMs)
})

t.test('a webhook that failed while the clock was ahead is tried again within hours', async (t) => {
  const { _id: room } = await chat.room(owner, { name: 'Talk' })
  const bot = await chat.addAgentWithWebhook('Patient', { room })
  chat.receiver.respondWith('Patient', 500)
  const nowMs = clock.now()
  clock.set(nowMs + yearMs)
  await chat.post(owner, room, mention(bot))
  await chat.settled()
  t.equal((await chat.receivedRequests(bot)).length, 1)
  clock.set(nowMs)
  chat.receiver.respondWith('Patient', 200)
  clock.advance(hourMs)
  await chat.eventually(async () => (await chat.deliveries(bot))[0]!.nextAttemptAt! < nowMs + 4 * hourMs)
  clock.advance(2 * hourMs)
  await chat.eventually(async () => (await chat.deliveries(bot))[0]!.state === 'delivered')
})

t.test('a failed webhook is tried again if the clock is corrected before a jump is noticed', async (t) => {
  const own = await openWebhookChat(t)
  const { _id: room } = await own.room(own.owner, { name: 'Talk' })
  const bot = await own.addAgentWithWebhook('Patient', { room })
  own.receiver.respondWith('Patient', 500)
  const nowMs = own.clock.now()
  own.clock.set(nowMs + 12 * hourMs)
  await own.post(own.owner, room, mention(bot))
  await own.settled()
  t.equal((await own.receivedRequests(bot)).length, 1)
  own.clock.set(nowMs)
  own.receiver.respondWith('Patient', 200)
  own.clock.advance(hourMs)
  await own.eventually(async () => (await own.deliveries(bot))[0]!.nextAttemptAt! < nowMs + 4 * hourMs)
  own.clock.advance(2 * hourMs)
  await own.eventually(async () => (await own.deliveries(bot))[0]!.state === 'delivered')
})

t.test('cursors rise through all clock jumps, and the log reports the jumps', async (t) => {
  const ticks = eventsOf(home).map(({ tick }) => tick)
  t.ok(ticks.every((tick, at) => at === 0 || tick > ticks[at - 1]!))
  t.ok(chat.log.lines.some(({ message }) => /clock has jumped by 8760\.0 hours/.test(String(message))))
})
