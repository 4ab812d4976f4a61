import t from 'tap'
import { mention, openChat } from '../../support/chat.ts'
import { connectMcp } from '../../support/mcp-client.ts'

const chat = await openChat(t)
const { owner, request } = chat
const general = chat.workspace.stores.projects.find('general')!

/** Adds an agent to the project, with MCP tools. */
async function agent(name: string) {
  const bot = await chat.agent(name)
  await chat.workspace.stores.projects.join(general, bot.member, 'member')
  return { ...bot, ...(await connectMcp(t, chat.url, { key: bot.key })) }
}

const unreadOf = async (key: string) => (await request('GET', '/v1/inbox', { key })).json.records

t.test("a name in an agent's message mentions its member, as in a file", async (t) => {
  const bot = await agent('Talking')
  const grace = await chat.person('Grace Hopper', 'general')
  const room = await chat.room(owner, { name: 'Pier' })
  for (const member of [bot, grace]) await chat.invite(owner, room._id, member)
  const text = `Hello @Grace Hopper, \`@Ada\` and @Nobody; ${mention(owner)} wrote to x@Ada.example.`
  const { value } = await bot.call('say', { room: room._id, text })
  t.same(
    (await chat.message(owner, room._id, value.id))!.body,
    text.replace('@Grace Hopper', mention(grace)),
    'except in code and addresses',
  )
  t.match(await unreadOf(grace.key), [{ kind: 'mention', _id: value.id }])
  const document = await request('PUT', '/v1/fs/projects/general/docs/x.md', { body: '# Lamps\n\nLit.\n' })
  const comment = await bot.call('say', { document: document.json.id, text: '@Grace Hopper: which?' })
  const [first] = await unreadOf(grace.key)
  t.match(first, { kind: 'mention', _id: comment.value.id })
})

t.test('an agent joins an open room by sending a message, or by say without text', async (t) => {
  const bot = await agent('Joining')
  const room = await chat.room(owner, { name: 'Quay' })
  const read = () => bot.call('read', { path: 'rooms/quay.md' })
  t.match(await read(), { isError: true, text: `say with room "${room._id}" and without text` })
  t.match((await bot.call('say', { room: room._id })).value, { joined: true })
  t.match(await read(), { isError: false, text: /# Quay/ })
  const other = await chat.room(owner, { name: 'Dock' })
  t.match((await bot.call('say', { room: 'dock', text: 'Here.' })).value, { id: /^msg_/, joined: true })
  t.match((await bot.call('say', { room: 'dock', text: 'Still.' })).value, { id: /^msg_/, joined: undefined })
  t.equal((await chat.page(owner, other._id)).page.length, 2)
  const closed = await chat.room(owner, { name: 'Bridge', type: 'closed' })
  t.match(await bot.call('say', { room: closed._id, text: 'Here.' }), { isError: true })
  t.match(await bot.call('say', { document: 'doc_x' }), { isError: true, text: /Send text/ })
})

t.test('unread messages of a room can be marked as read', async (t) => {
  const bot = await agent('Reading')
  const room = await chat.room(owner, { name: 'Shore' })
  await chat.invite(owner, room._id, bot)
  t.match((await bot.call('inbox', { room: 'shore' })).value, { readRoom: 'shore' }, 'nothing is unread yet')
  await chat.post(owner, room._id, 'One.')
  await chat.post(owner, room._id, `Two, ${mention(bot)}.`)
  t.match((await bot.call('orient')).text, /Shore: 2 unread/)
  await bot.call('inbox', { room: room._id })
  t.match((await bot.call('orient')).text, 'Nothing is unread.')
  t.same((await bot.call('inbox')).value.records, [])
  t.match(await bot.call('inbox', { room: room._id, markRead: 'all' }), { isError: true })
})

t.test('the tool calls that orient proposes work as written', async (t) => {
  const bot = await agent('Starting')
  const room = await chat.room(owner, { name: 'Beach' })
  await chat.invite(owner, room._id, bot)
  await chat.post(owner, room._id, `Hello ${mention(bot)}.`)
  await chat.call(owner, 'POST', '/asks', { project: 'general', title: 'Rake the sand' })
  await bot.call('orient')
  chat.clock.advance(10 * 60 * 1000)
  await request('PUT', '/v1/fs/projects/general/docs/news.md', { body: '# News\n\nText.\n' })
  const { text } = await bot.call('orient')
  t.notMatch(text, /curl|wr |\bGET\b|\bPOST\b|```/)
  const calls = [...text.matchAll(/`(\w+) (\{[^`]*\})`/g)]
  t.ok(calls.length >= 9, `${calls.length} calls`)
  t.same(
    calls.slice(-7, -2).map(([, tool]) => tool),
    ['inbox', 'asks', 'read', 'read', 'follow'],
    'five next calls, and two of help',
  )
  for (const [written, tool, input] of calls) {
    const result = await bot.call(tool!, JSON.parse(input!))
    t.notOk(result.isError, `${written}: ${result.text}`)
  }
  const { text: requested } = await request('GET', '/v1/fs', { key: bot.key })
  t.match(requested, /^wr /m, 'by HTTP it proposes requests, whatever the client calls itself')
})

t.test('the tool calls that help pages propose work as written', async (t) => {
  const bot = await agent('Helped')
  await chat.invite(owner, (await chat.room(owner, { name: 'Sands' }))._id, bot)
  const { entries } = (await bot.call('list', { path: 'help' })).value
  t.same(
    entries.map(({ path }: { path: string }) => path),
    ['requests', 'rooms', 'folders', 'good-to-know'].map((topic) => `help/${topic}.md`),
  )
  let calls = 0
  for (const { path } of entries) {
    const { text } = await bot.call('read', { path })
    t.notMatch(text, /curl|wr |```|--data/, path)
    const known: Record<string, string> = {}
    for (const [written, tool, input] of text.matchAll(/`(\w+) (\{[^`]*\})`/g)) {
      const filled = input!.replace(/<(revision|path|id)>/g, (_, name) => known[name]!)
      const result = await bot.call(tool!, JSON.parse(filled))
      t.notOk(result.isError, `${written}: ${result.text}`)
      const { ask, entries: listed, ...value } = result.value
      Object.assign(known, listed?.[0], value, ask)
      calls += 1
    }
  }
  t.ok(calls >= 25, `${calls} calls`)
})

t.test('a refusal proposes a tool call', async (t) => {
  const bot = await agent('Refused')
  for (const [path, words] of [
    ['projects/general/docs/absent.md', /list with path "projects\/general\/docs"/],
    ['projects/absent/docs/x.md', /list with path "projects"/],
    ['rooms/absent.md', /list with path "rooms"/],
  ] as const) {
    const refused = await bot.call('read', { path })
    t.match(refused, { isError: true, text: words })
    t.notMatch(refused.text, 'GET')
  }
  const project = 'projects/general'
  for (const [tool, input, words] of [
    ['read', { path: `${project}/absent` }, 'No such path. list with path "" lists what exists.'],
    [
      'write',
      { path: `${project}/docs`, text: '# X' },
      /^This cannot be written. This is a folder: write a file/,
    ],
    ['delete', { path: `${project}/docs` }, /^This cannot be deleted. This is a folder: delete the files/],
    ['write', { path: `${project}/asks.md`, text: 'x' }, 'asks with action "raise" creates an ask.'],
    ['edit', { path: `${project}/plan.md`, edits: [{ append: 'x' }] }, 'edited, only written as a whole.'],
    ['write', { path: 'inbox/mentions.md', text: 'x' }, 'inbox with markRead marks mentions as read.'],
  ] as const) {
    const refused = await bot.call(tool, input)
    t.match(refused, { isError: true, text: words })
    t.notMatch(refused.text, /GET|PUT|PATCH|DELETE|POST/)
  }
})
