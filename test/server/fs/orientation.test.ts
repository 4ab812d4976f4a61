import t from 'tap'
import { mention, openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, clock, owner, request } = chat
const tree = '/v1/fs/projects/general'
const general = chat.workspace.stores.projects.find('general')!

const agent = async (name: string) => {
  const bot = await chat.agent(name)
  await chat.workspace.stores.projects.join(general, bot.member, 'member')
  return {
    ...bot,
    read: async (query = '') => (await request('GET', `/v1/fs${query}`, { key: bot.key })).text,
  }
}
const put = (path: string, body: string) => request('PUT', `${tree}/${path}`, { body })
const minutes = 60 * 1000

t.test('the first page lists what is waiting: mentions, asks, cards and unread rooms', async (t) => {
  const bot = await agent('Waiting')
  const room = await chat.room(owner, { name: 'Harbour' })
  await chat.invite(owner, room._id, bot)
  await chat.post(owner, room._id, `Hello ${mention(bot)}`)
  await put('board/02-todo/new.md', '---\nassignees: [Waiting]\n---\n# Paint the hull\n')
  await put('board/04-done/new.md', '---\nassignees: [Waiting]\n---\n# Done with\n')
  const ask = { project: 'general', title: 'Count the boats', assignees: [bot.member.id] }
  const { askId } = (await call(owner, 'POST', '/asks', ask)).json
  const page = await bot.read()
  t.match(page, /## Unread mentions\n\n1 in all/)
  t.match(
    page,
    new RegExp(`\\*Count the boats\\* in \`general\` · asked by Ada · for \\*\\*you\\*\\* · \`${askId}\``),
  )
  t.match(page, /## Cards assigned to you\n\n- 1 \*Paint the hull\*: `\/v1\/fs\/[^`]+`/)
  t.match(page, /## Your rooms\n\n- Harbour: 1 unread, `\/v1\/fs\/rooms\/harbour\.md`/)
  t.notMatch(page, 'Done with')
  const commands = page.match(/^wr (?!\(\))/gm)!
  t.equal(commands.length, 5)
})

t.test('the first page counts the notices that it does not list', async (t) => {
  const bot = await agent('Noticed')
  t.notMatch(await bot.read(), 'more notice')
  const room = await chat.room(owner, { name: 'Mole' })
  await chat.invite(owner, room._id, bot)
  const threadId = await chat.post(bot, room._id, 'Who paints?')
  await chat.post(owner, room._id, 'I do.', { threadId })
  t.match(await bot.read(), '1 more notice, such as replies and comments: `GET /v1/inbox`\n')
  for (let n = 0; n < 2; n++) await chat.post(owner, room._id, `And ${n}.`, { threadId })
  t.match(await bot.read(), '3 more notices, such as')
  await put('board/02-todo/notice.md', '---\nassignees: [Noticed]\n---\n# Mend the mole\n')
  t.match(await bot.read(), '3 more notices, such as', 'cards are in a list of their own')
  await request('POST', '/v1/inbox/read', { key: bot.key, body: {} })
  t.notMatch(await bot.read(), 'more notice')
})

t.test('the first page shows a key what has changed since its last visit', async (t) => {
  const bot = await agent('Returning')
  t.notMatch(await bot.read(), '## Since')
  const visited = new Date(clock.now()).toISOString()
  clock.advance(10 * minutes)
  await put('docs/news.md', '# News of today\n')
  await request('PUT', `${tree}/docs/mine.md`, { key: bot.key, body: '# My own\n' })
  const page = await bot.read()
  t.match(page, `## Since your last visit, ${visited}`)
  t.match(page, /1 document: GET \/v1\/events\?since=[\d.]+&wait=0/)
  t.match(page, '- *News of today* by Ada: `')
  t.notMatch(page, 'My own')
  clock.advance(1000)
  t.match(await bot.read(), '*News of today*', 'another read within a minute answers the same')
  clock.advance(10 * minutes)
  t.match(await bot.read(), 'Nothing has changed.')
  const since = /since=([\d.]+)/.exec(page)![1]
  t.match(await bot.read(`?since=${since}`), '*News of today*')
  const { key } = (await request('POST', `/api/members/${bot.member.id}/keys`, { body: {} })).json
  t.notMatch((await request('GET', '/v1/fs', { key })).text, '## Since', 'another key has no earlier visit')
  t.equal((await request('GET', '/v1/fs?since=x', { key })).status, 400)
})

t.test('the first page stays under 3 kB, however much is waiting', async (t) => {
  const bot = await agent(`Busy ${'x'.repeat(70)}`)
  const long = 'A title of eighty characters, which is as long as most titles ever get to be, yes'
  for (let n = 0; n < 25; n++) {
    await put(`posts/p${n}.md`, `# ${long} ${n}\n\n${mention(bot)}\n`)
    await put(`board/02-todo/c${n}.md`, `---\nassignees: ["${bot.member.id}"]\n---\n# ${long} ${n}\n`)
    await call(owner, 'POST', '/asks', { project: 'general', title: `${long} ${n}` })
    const room = await chat.room(owner, { name: `${long.slice(0, 50)} ${n}` })
    await chat.invite(owner, room._id, bot)
    await chat.post(owner, room._id, 'Hello.')
    const { json } = await request('POST', '/v1/projects', { body: { name: `${long.slice(0, 60)} ${n}` } })
    await chat.workspace.stores.projects.join(
      chat.workspace.stores.projects.find(json.project.slug)!,
      bot.member,
      'member',
    )
  }
  await bot.read()
  clock.advance(10 * minutes)
  for (let n = 0; n < 25; n++) await put(`docs/d${n}.md`, `# ${long} ${n}\n`)
  const page = await bot.read()
  t.ok(Buffer.byteLength(page) < 3000, `${Buffer.byteLength(page)} bytes`)
  t.match(page, '25 in all')
  for (const heading of ['Unread mentions', 'Your projects', 'Next requests', 'Help']) {
    t.match(page, `## ${heading}\n`)
  }
})

t.test('the first page links to the other topics of the help that the caller may use', async (t) => {
  const bot = await agent('Learning')
  const { json } = await request('GET', '/v1/fs/help', { key: bot.key })
  t.strictSame(
    json.topics.map(({ path }: { path: string }) => path),
    ['requests', 'rooms', 'folders', 'good-to-know'].map((topic) => `/v1/fs/help/${topic}.md`),
  )
  for (const { path } of json.topics) {
    t.match((await request('GET', path, { key: bot.key })).text, /^# \w/, path)
    t.match(await bot.read(), path)
  }
  t.equal((await request('GET', '/v1/fs/help/administration.md', { key: bot.key })).status, 404)
  t.equal((await request('GET', '/v1/fs/help/administration.md')).status, 200)
  t.equal((await request('PUT', '/v1/fs/help/rooms.md', { body: 'x' })).headers.allow, 'GET, HEAD')
})
