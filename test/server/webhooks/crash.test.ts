import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { openWorkspace } from '../../../core/workspace/index.ts'
import { databasePath } from '../../../data/home.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { mention } from '../../support/chat.ts'
import { copyHome } from '../../support/copy-home.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { openWebhookChat } from '../../support/webhooks.ts'

const secondMs = 1000
const config = { ...defaultConfig, outbound: { allow: ['127.0.0.1'] } }

t.test('a process killed between an attempt and its outcome goes on with the next attempt', async (t) => {
  const markdown = sharedMarkdown(t)
  const chat = await openWebhookChat(t, { config, faults: { markdown } })
  const { clock, owner, post, receiver } = chat
  const { _id: room } = await chat.room(owner, { name: 'Talk' })
  const bot = await chat.addAgentWithWebhook('Bot', { room })
  const left = join(chat.home, '..', 'left')
  receiver.respondWith('Bot', (response) => {
    // What a process leaves that is killed after the receiver got the delivery and before it got the answer.
    copyHome(chat.home, left)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"body":"Said by the first"}')
  })
  await post(owner, room, mention(bot))
  await chat.settled()
  t.match(await chat.deliveries(bot), [{ state: 'delivered', attempts: 1 }])
  await chat.close()

  receiver.respondWith('Bot', 'Said by the second')
  const workspace = await openWorkspace({ home: left, config, clock, faults: { markdown } })
  try {
    const caller = workspace.stores.members.authenticate(owner.key)!
    const delivery = () => workspace.webhooks.webhooks.deliveries(caller, bot.member.id, 10)
    t.match(delivery(), [{ state: 'pending', attempts: 1, lastError: 'no_outcome' }])
    t.equal(delivery()[0]!.nextAttemptAt, clock.now() + 30 * secondMs)
    clock.advance(30 * secondMs)
    await chat.eventually(() => delivery()[0]!.state === 'delivered')
    t.match(delivery(), [{ attempts: 2, lastStatus: 200 }])
    const [first, second, ...others] = receiver.requests('Bot')
    t.same(others, [])
    t.ok(second!.body.equals(first!.body), 'the same id and body')
    t.equal(second!.headers['x-service-retry-num'], '1')
    const bodies = workspace.rooms.messages.page(caller, room, { limit: 10 }).page.map(({ body }) => body)
    t.same(bodies, ['Said by the second', mention(bot)])
  } finally {
    await workspace.close()
  }
})

t.test('a message is delivered even if the process is killed right after its commit', async (t) => {
  const markdown = sharedMarkdown(t)
  let copyOnceSaid = () => {}
  const database = { beforeCommit: () => copyOnceSaid() }
  const chat = await openWebhookChat(t, { config, faults: { markdown, database } })
  const { clock, owner, post, receiver } = chat
  const { _id: room } = await chat.room(owner, { name: 'Talk' })
  const bot = await chat.addAgentWithWebhook('Bot', { room })
  const left = join(chat.home, '..', 'left')
  const beside = new Sqlite(databasePath(chat.home), { readonly: true })
  t.teardown(() => beside.close())
  const isSaid = beside.prepare('SELECT 1 FROM messages')
  // The home after the first commit that has the message, before any other commit.
  copyOnceSaid = () => {
    if (!isSaid.get()) return
    copyOnceSaid = () => {}
    copyHome(chat.home, left)
  }
  await post(owner, room, mention(bot))
  await chat.settled()
  await chat.close()

  const workspace = await openWorkspace({ home: left, config, clock, faults: { markdown } })
  try {
    await chat.eventually(() => receiver.requests('Bot').length === 2)
    const [first, second] = receiver.requests('Bot')
    t.ok(second!.body.equals(first!.body), 'the same id and body')
    t.equal(second!.headers['x-service-retry-num'], '0')
  } finally {
    await workspace.close()
  }
})

t.test('a delivery whose outcome the database cannot record is tried again when it is due', async (t) => {
  let isBroken = false
  const beforeCommit = () => {
    if (isBroken) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
  }
  const chat = await openWebhookChat(t, { faults: { database: { beforeCommit } } })
  const { clock, owner, post, receiver } = chat
  const { _id: room } = await chat.room(owner, { name: 'Talk' })
  const bot = await chat.addAgentWithWebhook('Bot', { room })
  receiver.respondWith('Bot', (response) => {
    isBroken = true
    response.writeHead(204).end()
  })
  await post(owner, room, mention(bot))
  await chat.eventually(() => chat.log.text().includes('could not be sent'))
  isBroken = false
  t.match(await chat.deliveries(bot), [{ state: 'pending', attempts: 1, lastError: 'no_outcome' }])
  receiver.respondWith('Bot', 204)
  clock.advance(60 * secondMs)
  await chat.eventually(async () => (await chat.deliveries(bot))[0]!.state === 'delivered')
  t.equal(receiver.requests('Bot').length, 2)
})

t.test('a post that the disk refuses is delivered to nobody, and once it is saved to all', async (t) => {
  const disk = breakableDisk()
  const chat = await openWebhookChat(t, { faults: { tree: { fs: disk.fs } } })
  const bot = await chat.addAgentWithWebhook('Bot')
  const {
    stores: { projects },
  } = chat.workspace
  await projects.join(projects.find('general')!, bot.member, 'member')
  const publish = () =>
    chat.request('PUT', '/v1/fs/projects/general/posts/2026-01-01-news.md', {
      body: '# News\n\nFor @Bot.\n',
    })
  disk.fail('linkSync', 'ENOSPC')
  t.match(await publish(), { status: 503 })
  disk.mend()
  t.same(await chat.deliveries(bot), [])
  t.match(await publish(), { status: 201 })
  t.equal((await chat.receivedRequests(bot)).length, 1)
  t.equal((await chat.deliveries(bot)).length, 1)
})
