import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { CommentView } from '../../../core/comments/types.ts'
import type { MarkdownService } from '../../../core/markdown/index.ts'
import { certificate, certificateKey } from '../../data/outbound/certificate.ts'
import { type Actor, mention } from '../../support/chat.ts'
import { processMarkdown } from '../../support/shared-markdown.ts'
import type { StubResponse } from '../../support/webhook-receiver.ts'
import { openWebhookChat, type WebhookAgent } from '../../support/webhooks.ts'

/** What a test does while a file is parsed. */
let whileParsing: () => Promise<void> = async () => {}
const markdown: MarkdownService = {
  ...processMarkdown(),
  async analyse(request, priority) {
    await whileParsing()
    return processMarkdown().analyse(request, priority)
  },
}
const chat = await openWebhookChat(t, { faults: { markdown } })
const { clock, owner, receiver, request } = chat
const posts = '/v1/fs/projects/general/posts'
const general = chat.workspace.stores.projects.find('general')!

const agent = async (name: string, options = {}) => {
  const bot = await chat.addAgentWithWebhook(name, options)
  await chat.workspace.stores.projects.join(general, bot.member, 'member')
  return bot
}
async function publish(title: string, text = 'Text.') {
  const name = title.toLowerCase().replaceAll(' ', '-')
  const response = await request('PUT', `${posts}/${name}.md`, { body: `# ${title}\n\n${text}\n` })
  if (response.status !== 201) throw new Error(response.text)
  return response.json as { id: string; path: string; filename: string }
}
async function comment(actor: Actor, postId: string, body: string, parentId?: string): Promise<CommentView> {
  const path = `/v1/posts/${postId}/comments`
  const { status, json } = await request('POST', path, { key: actor.key, body: { body, parentId } })
  if (status !== 201) throw new Error(json.error)
  return json.comment
}
const remove = (postId: string, id: string) => request('DELETE', `/v1/posts/${postId}/comments/${id}`)
const said = async (postId: string): Promise<CommentView[]> =>
  (await request('GET', `/v1/posts/${postId}/comments`)).json.comments
const replyAfter =
  (deed: () => Promise<unknown>, body: string): StubResponse =>
  (response) =>
    void deed().then(() => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ body }))
    })

t.test('a mention in a comment is delivered with its post, even to an agent that is online', async (t) => {
  const bot = await agent('Reader')
  const off = await agent('Mute', { events: ['message.created'] })
  const outside = await chat.addAgentWithWebhook('Stranger')
  await chat.call(bot, 'POST', '/presence', {})
  const { id: postId } = await publish('News')
  const body = [bot, off, outside].map(mention).join(' ')
  const top = await comment(owner, postId, body)
  const calls = await chat.receivedRequests(bot)
  t.strictSame(
    calls.map(({ json }) => json),
    [
      {
        service: '1.0',
        timestamp: clock.now(),
        org: { id: chat.workspace.identity.id, name: 'Testers', slug: 'testers' },
        project: { id: general.id, name: 'General', slug: 'general' },
        post: { id: postId, title: 'News', authorId: owner.member.id },
        comment: {
          id: top._id,
          body,
          bodyText: '@Reader @Mute @Stranger',
          authorId: owner.member.id,
          authorName: 'Ada',
          authorType: 'human',
          createdAt: clock.now(),
        },
        id: calls[0]!.json.id,
        event: 'mention',
        mentions: [bot, off, outside].map(({ member }) => member.id),
      },
    ],
  )
  for (const deaf of [off, outside]) t.same(await chat.receivedRequests(deaf), [], deaf.name)

  const reply = await comment(owner, postId, '@[channel](__channel__)', top._id)
  t.match((await chat.receivedRequests(bot))[1]!.json, {
    comment: { id: reply._id, parentId: top._id },
    mentions: [bot.member.id],
  })
  await comment(bot, postId, `I am ${mention(bot)}, @[everyone](__everyone__)`)
  t.equal((await chat.receivedRequests(bot)).length, 2, 'not for its own comment')
})

t.test('an answer to a post or a comment becomes the agent’s comment in the same thread', async (t) => {
  const bot = await agent('Commenter')
  receiver.respondWith('Commenter', `Thank you, ${mention(owner)}`)
  const { id: postId, path } = await publish('Nice', 'For @Commenter.')
  await chat.settled()
  const [first] = await said(postId)
  t.match(first, { body: `Thank you, ${mention(owner)}`, parentId: null, author: { _id: bot.member.id } })
  t.match(await chat.inbox(owner), first!._id)
  const top = await comment(owner, postId, mention(bot))
  await chat.settled()
  await comment(owner, postId, `And ${mention(bot)} again`, top._id)
  await chat.settled()
  t.same(
    (await said(postId)).map(({ author, parentId }) => [author.name, parentId]),
    [
      ['Commenter', null],
      ['Ada', null],
      ['Commenter', top._id],
      ['Ada', top._id],
      ['Commenter', top._id],
    ],
  )
  t.match((await request('GET', path)).text, /^comments: 5$/m)

  for (const { id } of await chat.deliveries(bot))
    await chat.call(owner, 'POST', `/members/${bot.member.id}/webhook/deliveries/${id}/redeliver`)
  t.equal((await chat.receivedRequests(bot)).length, 6)
  t.equal((await said(postId)).length, 5, 'one reply to a delivery, however often it is sent')
})

t.test('an agent is not called for its own reply below a post', async (t) => {
  const bot = await agent('Echo')
  receiver.respondWith('Echo', `I am ${mention(bot)}`)
  const { id: postId } = await publish('Mirror', 'For @Echo.')
  await chat.settled()
  await comment(owner, postId, mention(bot))
  await chat.settled()
  t.equal((await said(postId)).length, 3)
  t.equal((await chat.receivedRequests(bot)).length, 2, 'one for the post, one for the other comment')
})

t.test('a deactivated agent is called for no post or comment, even once it is active again', async (t) => {
  const bot = await agent('Gone')
  await chat.workspace.stores.members.setStatus(bot.member.id, 'deactivated')
  const { id: postId } = await publish('Without it', `For ${mention(bot)}, @[channel](__channel__).`)
  await comment(owner, postId, mention(bot))
  await chat.workspace.stores.members.setStatus(bot.member.id, 'active')
  t.same(await chat.receivedRequests(bot), [])
  t.same(await chat.deliveries(bot), [])
})

t.test('a reply that cannot be posted is dropped', async (t) => {
  const bot = await agent('Late')
  const { leave } = { leave: () => chat.workspace.stores.projects.leave(general, bot.member) }
  const { id: postId } = await publish('Busy')
  const deleted = await publish('Gone')
  const cases: [what: string, on: string, stub: (commentId: string) => StubResponse][] = [
    ['too long', postId, () => 'a'.repeat(32_001)],
    ['to a comment that was deleted meanwhile', postId, (id) => replyAfter(() => remove(postId, id), 'Late')],
    ['to a post that was', deleted.id, () => replyAfter(() => request('DELETE', deleted.path), 'Late')],
    ['of one who has left', postId, () => replyAfter(leave, 'Late')],
  ]
  for (const [what, on, stub] of cases) {
    receiver.respondWith('Late', (response, called) => {
      const answer = stub(called.json.comment.id)
      if (typeof answer === 'function') answer(response, called)
      else
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ body: answer }))
    })
    await comment(owner, on, mention(bot))
    await chat.settled()
    t.match((await chat.deliveries(bot))[0], { state: 'delivered', lastStatus: 200 }, what)
  }
  t.ok((await said(postId)).every(({ author }) => author.name === 'Ada'))
})

t.test('deliveries of deleted comments, and to an agent that has left, are not sent again', async (t) => {
  const {
    stores: { projects },
  } = chat.workspace
  const bots = [await agent('Waiting 1'), await agent('Waiting 2'), await agent('Waiting 3')] as const
  for (const bot of bots) receiver.respondWith(bot.name, 500)
  const [one, other] = [await publish('One'), await publish('Other')]
  const first = await comment(owner, one.id, mention(bots[0]))
  await comment(owner, one.id, mention(bots[1]))
  await comment(owner, other.id, mention(bots[2]))
  await chat.settled()
  await remove(one.id, first._id)
  await projects.leave(general, bots[1].member)
  await request('DELETE', other.path)
  await chat.advance(30_000)
  for (const bot of bots) t.match(await chat.deliveries(bot), [{ state: 'cancelled', attempts: 1 }], bot.name)
})

t.test('agents that answer each other below a post are stopped', async (t) => {
  const bots = [await agent('Ping'), await agent('Pong')] as const
  const [ping, pong] = bots
  receiver.respondWith('Ping', `Over to ${mention(pong)}`)
  receiver.respondWith('Pong', `Over to ${mention(ping)}`)
  const { id: postId } = await publish('Table')
  const callCount = () => receiver.requests('Ping').length + receiver.requests('Pong').length
  await comment(owner, postId, `Begin, ${mention(ping)}`)
  await chat.settled()
  t.equal(callCount(), 13, 'the call by the person, and twelve that follow')
  const comments = await said(postId)
  t.equal(comments.length, 1 + 13 + 1, 'every comment is there, and one notice')
  const notice = comments.find(({ body }) => body.startsWith('Webhooks'))
  t.match(notice, {
    author: { _id: pong.member.id },
    parentId: null,
    body: /Webhooks between Ping and Pong are paused below this post, .* next comment by a person resumes them/,
  })
  t.match(await chat.inbox(pong), /^7 unread/m, 'the inbox has all mentions')
  t.match((await chat.deliveries(pong))[0], { state: 'held' })

  const elsewhere = await publish('Chair')
  receiver.respondWith('Pong', 204)
  await comment(ping, elsewhere.id, mention(pong))
  await chat.settled()
  t.equal(callCount(), 14, 'each post has its own count')
  await comment(owner, postId, 'Go on.')
  await comment(ping, postId, mention(pong))
  await chat.settled()
  t.equal(callCount(), 15, 'a person resumes it')
})

t.test(
  'a comment made while the post is edited on the disk is not lost, and neither is the edit',
  async (t) => {
    const bot = await agent('Racer')
    const { id: postId, path, filename } = await publish('Race')
    let reply = () => {}
    receiver.respondWith('Racer', (response) => {
      reply = () => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"body":"In between"}')
      }
    })
    await comment(owner, postId, mention(bot))
    await chat.eventually(() => receiver.requests('Racer').length === 1)
    // The edit is composed from the post as it is now.
    whileParsing = async () => {
      whileParsing = async () => {}
      reply()
      await chat.settled()
    }
    clock.advance(1000)
    writeFileSync(join(chat.home, 'projects/general/posts', filename), '# Race\n\nEdited by hand.\n')
    await chat.eventually(async () => /Edited by hand/.test((await request('GET', path)).text))
    t.same(
      (await said(postId)).map(({ body }) => body),
      [mention(bot), 'In between'],
    )
    t.match((await request('GET', path)).text, /^editedAt: .*\ncomments: 2$/m)
  },
)

t.test('a receiver with an untrusted certificate is not called', async (t) => {
  let requestCount = 0
  const server = createServer({ cert: certificate, key: certificateKey }, (_, response) => {
    requestCount += 1
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const bot = await agent('Self-signed')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await chat.call(owner, 'PUT', `/members/${bot.member.id}/webhook`, { url })
  const { id: postId } = await publish('Secret')
  await comment(owner, postId, mention(bot))
  await chat.settled()
  t.match(await chat.deliveries(bot as WebhookAgent), [
    { state: 'pending', attempts: 1, lastStatus: null, lastError: 'tls: DEPTH_ZERO_SELF_SIGNED_CERT' },
  ])
  t.equal(requestCount, 0)
})
