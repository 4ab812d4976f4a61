import t from 'tap'
import { mention } from '../../support/chat.ts'
import { leaveProject } from '../../support/leave-project.ts'
import { openWebhookChat } from '../../support/webhooks.ts'
import { isSignedBy } from './verify.ts'

const retryMs = 30_000
const dayMs = 24 * 60 * 60 * 1000

const chat = await openWebhookChat(t)
const { clock, owner, post, receiver } = chat
const { _id: room } = await chat.room(owner, { name: 'Talk' })

let count = 0
/** An agent in the room with a delivery that has failed once and awaits its retry. */
async function retried(options = {}) {
  count += 1
  const bot = await chat.addAgentWithWebhook(`Bot ${count}`, { room, ...options })
  receiver.respondWith(bot.name, 500)
  const messageId = await post(owner, room, mention(bot))
  await chat.settled()
  receiver.respondWith(bot.name, 204)
  return { bot, messageId, webhook: `/members/${bot.member.id}/webhook` }
}

/** Returns the state of the delivery after its retry was due, and the number of calls. */
async function afterRetry(bot: Awaited<ReturnType<typeof retried>>['bot']) {
  await chat.advance(retryMs)
  const [{ state, attempts } = { state: null, attempts: null }] = await chat.deliveries(bot)
  return { state, attempts, calls: receiver.requests(bot.name).length }
}
const sentAgain = { state: 'delivered', attempts: 2, calls: 2 }
const cancelled = { state: 'cancelled', attempts: 1, calls: 1 }

t.test('a failed delivery is sent again if nothing has changed', async (t) => {
  const { bot } = await retried()
  t.same(await afterRetry(bot), sentAgain)
})

t.test('a retry goes to a new URL', async (t) => {
  const { bot, webhook } = await retried()
  await chat.call(owner, 'PUT', webhook, { url: receiver.urlOf('Elsewhere') })
  t.same(await afterRetry(bot), { ...sentAgain, calls: 1 })
  t.match(receiver.requests('Elsewhere'), [{ headers: { 'x-service-retry-num': '1' } }])
})

t.test('removing a webhook cancels its deliveries at once and for good', async (t) => {
  const { bot, webhook } = await retried()
  t.match(await chat.call(owner, 'PUT', webhook, { url: null }), {
    status: 200,
    json: { url: null, events: [] },
  })
  t.match(await chat.deliveries(bot), [{ state: 'cancelled', nextAttemptAt: null }])
  await chat.call(owner, 'PUT', webhook, { url: receiver.urlOf(bot.name) })
  t.same(await afterRetry(bot), cancelled)
})

t.test('a deactivated agent is not called, even once it is active again', async (t) => {
  const { bot } = await retried()
  await chat.workspace.stores.members.setStatus(bot.member.id, 'deactivated')
  t.same(await afterRetry(bot), cancelled)
  await chat.workspace.stores.members.setStatus(bot.member.id, 'active')
  t.same(await afterRetry(bot), cancelled)
})

t.test('an agent that has left the room is not called', async (t) => {
  const { bot } = await retried()
  await chat.leave(bot, room)
  t.same(await afterRetry(bot), cancelled)
})

t.test('a deleted message is not sent', async (t) => {
  const { bot, messageId } = await retried()
  await chat.remove(owner, room, messageId)
  t.same(await afterRetry(bot), cancelled)
})

t.test('an edited message is sent as it was', async (t) => {
  const { bot, messageId } = await retried()
  await chat.edit(owner, room, messageId, 'Something else')
  t.same(await afterRetry(bot), sentAgain)
  const [one, other] = receiver.requests(bot.name)
  t.ok(one!.body.equals(other!.body))
})

t.test('an agent that has left the project of the room is not called', async (t) => {
  const {
    stores: { projects },
  } = chat.workspace
  const project = projects.find('general')!
  const { _id: inProject } = await chat.room(owner, { projectId: project.id })
  const bot = await chat.addAgentWithWebhook('Colleague')
  await projects.join(project, bot.member, 'member')
  await chat.invite(owner, inProject, bot)
  receiver.respondWith('Colleague', 500)
  await post(owner, inProject, mention(bot))
  await chat.settled()
  await leaveProject(chat.home, project.id, bot.member.id)
  t.same(await afterRetry(bot), cancelled)
})

t.test('a deleted post is not sent', async (t) => {
  const {
    stores: { projects },
  } = chat.workspace
  const bot = await chat.addAgentWithWebhook('Reader')
  await projects.join(projects.find('general')!, bot.member, 'member')
  receiver.respondWith('Reader', 500)
  const path = '/v1/fs/projects/general/posts/2026-01-01-news.md'
  const { json } = await chat.request('PUT', path, { body: '# News\n\nFor @Reader.\n' })
  await chat.settled()
  t.match(await chat.request('DELETE', json.path), { status: 200 })
  t.same(await afterRetry(bot), cancelled)
})

t.test('after a rotation the new secret signs at once, and the old one beside it for a day', async (t) => {
  const { bot, webhook } = await retried()
  const { status, json } = await chat.call(owner, 'POST', `${webhook}/rotate`)
  t.equal(status, 200)
  t.match(json.secret, /^whs_[0-9A-Za-z]{43}$/)
  t.not(json.secret, bot.secret)
  t.same(await afterRetry(bot), sentAgain)
  const both = receiver.requests(bot.name).at(-1)!
  t.match(isSignedBy(both, json.secret), { service: true, previous: false, standard: true })
  t.match(isSignedBy(both, bot.secret), { service: false, previous: true, standard: true })
  t.same(await chat.webhook(bot), {
    url: receiver.urlOf(bot.name),
    events: ['mention', 'message.created'],
    state: 'ok',
    failingSince: null,
    secretCreatedAt: clock.now() - retryMs,
  })

  clock.advance(dayMs - retryMs - 1)
  await post(owner, room, mention(bot))
  await chat.settled()
  t.match(isSignedBy(receiver.requests(bot.name).at(-1)!, bot.secret), { previous: true, standard: true })
  clock.advance(1)
  await post(owner, room, mention(bot))
  await chat.settled()
  const alone = receiver.requests(bot.name).at(-1)!
  t.notOk('x-service-signature-previous' in alone.headers)
  t.match(isSignedBy(alone, json.secret), { service: true, standard: true })
  t.match(isSignedBy(alone, bot.secret), { service: false, previous: false, standard: false })
})

t.test('if a webhook is removed while it is called, the answer changes nothing', async (t) => {
  const bot = await chat.addAgentWithWebhook('Slow', { room })
  let answer = () => {}
  receiver.respondWith('Slow', (response) => {
    answer = () => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"body":"Too late"}')
    }
  })
  await post(owner, room, mention(bot))
  await chat.eventually(() => receiver.requests('Slow').length === 1)
  await chat.call(owner, 'PUT', `/members/${bot.member.id}/webhook`, { url: '' })
  answer()
  await post(owner, room, 'Behind it')
  // By the time of the next check the agent is no longer being called.
  await chat.call(owner, 'PUT', `/members/${bot.member.id}/webhook`, { url: receiver.urlOf('Slow again') })
  await post(owner, room, mention(bot))
  await chat.eventually(() => receiver.requests('Slow again').length === 1)
  t.match((await chat.deliveries(bot)).at(-1), { state: 'cancelled', attempts: 1 })
  t.notOk((await chat.page(owner, room)).page.some(({ body }) => body === 'Too late'))
})
