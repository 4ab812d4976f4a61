import t from 'tap'
import { type Actor, mention, openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { clock, owner, request, workspace } = chat
const grace = await chat.person('Grace', 'general')
const linus = await chat.person('Linus')
const bot = await chat.agent('Bot')
const general = workspace.stores.projects.find('general')!
await workspace.stores.projects.join(general, bot.member, 'member')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [grace.member.id] })
const tree = '/v1/fs/projects/general'
const dayMs = 24 * 60 * 60 * 1000

const feedOf = ({ key }: Pick<Actor, 'key'>) =>
  workspace.inbox.homeFeed.feedFor(workspace.stores.members.authenticate(key)!)
const write = async (path: string, body: string, { key }: Actor = owner) => {
  const { status, json, text } = await request('PUT', `${tree}/${path}`, { body, key })
  if (status !== 201) throw new Error(text)
  clock.advance(1000)
  return json as { id: string; path: string }
}
const ask = async (fields: object, { key }: Actor = owner) => {
  const body = { project: 'general', title: 'Do', ...fields }
  return (await request('POST', '/api/asks', { body, key })).json.askId as string
}
const person = ({ member: { id, name, type } }: Actor) => ({ id, name, type })
const project = { id: general.id, slug: 'general', name: 'General' }
const titles = (rows: { title: string }[]) => rows.map(({ title }) => title)

t.test('the home feed of a new workspace is empty', async (t) => {
  const feed = feedOf(linus)
  t.strictSame(feed, { mentions: [], mentionCount: 0, asks: [], due: [], writes: [], rooms: [] })
})

t.test('the feed lists the inbox’s unread mentions, newest first, with author and page', async (t) => {
  const messageId = await chat.post(owner, room, `${mention(grace)} look *here*`)
  const at = clock.now()
  const { id: postId } = await write('posts/news.md', `# News\n\n@Grace, read this.\n`)
  const commented = await request('POST', `/v1/posts/${postId}/comments`, {
    body: { body: `${mention(grace)} too` },
    key: bot.key,
  })
  const { mentions, mentionCount } = feedOf(grace)
  t.equal(mentionCount, 3)
  t.match(mentions, [
    {
      id: commented.json.comment._id,
      kind: 'comment',
      by: person(bot),
      title: 'News',
      preview: '@Grace too',
    },
    { id: postId, kind: 'post', by: person(owner), title: 'News', preview: null },
    {},
  ])
  t.match(mentions[0]!.page, /^\/projects\/general\/posts\//)
  t.strictSame(mentions[2], {
    id: messageId,
    kind: 'message',
    by: person(owner),
    title: 'Talk',
    preview: '@Grace look here',
    at,
    page: mentions[2]!.page,
  })
  t.match(mentions[2]!.page, /^\/rooms\/talk\b/)
  t.same(workspace.inbox.homeFeed.mentions(workspace.stores.members.authenticate(grace.key)!, 1), [
    mentions[0],
  ])

  await workspace.stores.projects.leave(general, grace.member)
  t.equal(feedOf(grace).mentionCount, 1, 'mentions that may no longer be read do not count')
  await workspace.stores.projects.join(general, grace.member, 'member')
  await request('POST', '/api/inbox/read', { body: { ids: [messageId] }, key: grace.key })
  t.equal(feedOf(grace).mentions.length, 2)
})

t.test('rooms with unread messages are listed until they are read', async (t) => {
  const id = await chat.post(owner, room, 'One more')
  t.match(feedOf(grace).rooms, [{ id: room, name: 'Talk', unread: 2, mentions: 0, path: '/rooms/talk' }])
  await workspace.rooms.rooms.markRead(workspace.stores.members.authenticate(grace.key)!, room, id)
  t.same(feedOf(grace).rooms, [])
})

t.test('the feed lists asks that the member claimed or was assigned, and open questions', async (t) => {
  const question = await ask({ title: 'Which?', options: ['One', 'Two'] })
  const own = await ask({ title: 'Mine', assignees: [grace.member.id] })
  const claimed = await ask({ title: 'Claimed' })
  await request('POST', `/api/asks/${claimed}/claim`, { key: grace.key })
  const done = await ask({ title: 'Done' })
  await request('POST', `/api/asks/${done}/claim`, { key: grace.key })
  await request('POST', `/api/asks/${done}/resolve`, { body: {}, key: grace.key })
  await ask({ title: 'For anybody' })
  const { asks } = feedOf(grace)
  t.match(asks, [
    { id: claimed, why: 'claimed', title: 'Claimed', project },
    { id: own, why: 'assigned', askedBy: 'Ada', assignees: ['Grace'] },
    { id: question, why: 'question', options: ['One', 'Two'] },
  ])
  t.equal(asks.length, 3)
  t.same(feedOf(bot).asks, [], 'questions are not listed for an agent')
  t.same(feedOf(owner).asks, [], 'or for the member who asked')
  t.same(feedOf(linus).asks, [], 'or for a member outside the project')
  await ask({ title: 'Both', options: ['a', 'b'], assignees: [grace.member.id] })
  t.same(
    feedOf(grace).asks.map(({ title, why }) => [title, why]),
    [
      ['Claimed', 'claimed'],
      ['Both', 'assigned'],
      ['Mine', 'assigned'],
      ['Which?', 'question'],
    ],
    'each ask is listed once',
  )
})

t.test('documents that others wrote in the last seven days are listed once each, newest first', async (t) => {
  clock.advance(8 * dayMs)
  await write('docs/one.md', '# One\n\n1\n')
  const two = await write('docs/two.md', '# Two\n\n1\n')
  await write('docs/own.md', '# Own\n\nMine.\n', grace)
  await write('drafts/secret.md', '# Secret\n\nNot yet.\n')
  await write('board/todo/card.md', '# Card\n\nDo.\n', bot)
  await write('posts/post.md', '# Post\n\nText.\n')
  await write('docs/one.md', '# One\n\n2\n')
  const at = clock.now() - 1000
  const { writes } = feedOf(grace)
  t.same(titles(writes), ['One', 'Post', 'Card', 'Two'])
  t.match(writes, [
    { isNew: false, kind: 'document', at },
    { isNew: true, kind: 'post', by: person(owner) },
    { kind: 'card', by: person(bot), page: /^\/projects\/general\/board\/\d+$/ },
    { id: two.id, kind: 'document', isNew: true, page: '/projects/general/docs/two', project },
  ])
  t.same(titles(feedOf(bot).writes), ['One', 'Post', 'Own', 'Two'])
  t.same(feedOf(linus).writes, [])

  await write('docs/two.md', '# Two\n\nGrace was here.\n', grace)
  await request('DELETE', `${tree}/docs/one.md`)
  t.same(titles(feedOf(grace).writes), ['Post', 'Card'], 'neither own last writes nor deleted documents')
  clock.advance(7 * dayMs)
  t.same(feedOf(grace).writes, [])
})

t.test('the feed holds nothing that the key may not read', async (t) => {
  await write('docs/three.md', '# Three\n\n3\n')
  await write('board/todo/four.md', '# Four\n\n4\n')
  await chat.post(owner, room, mention(bot))
  const all = feedOf(bot)
  t.same([titles(all.writes), all.asks], [['Four', 'Three'], []])
  const { key } = await workspace.stores.members.addKey(bot.member.id, { scopes: ['documents:read'] })
  const limited = feedOf({ key })
  t.same(
    [titles(limited.writes), limited.asks, limited.mentions, limited.mentionCount, limited.rooms],
    [['Three'], [], [], 0, []],
  )
})
