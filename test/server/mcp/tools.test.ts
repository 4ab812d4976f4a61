import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, owner } = workroom
const bot = await workroom.addMember(
  { name: 'Harbour Bot', type: 'agent', ownerId: owner.member.id },
  'general',
)

async function connected(key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${workroom.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  })
  await client.connect(transport as never)
  t.teardown(() => client.close())
  return client
}

const client = await connected(bot.key)

async function call(name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args })
  const [content] = result.content as { text: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it has asked for
  return { isError: result.isError === true, text: content!.text, value: result.structuredContent as any }
}

t.test('at most fifteen tools, each with schemas, annotations and a description', async (t) => {
  const { tools } = await client.listTools()
  t.ok(tools.length <= 15, `${tools.length} tools`)
  for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
    t.match(inputSchema, { type: 'object', additionalProperties: false }, name)
    t.match(outputSchema, { type: 'object' }, name)
    t.ok(description!.length > 40, name)
    t.type(annotations!.readOnlyHint, 'boolean', name)
  }
})

t.test('an agent finds its way, writes, edits, and reads again', async (t) => {
  t.match((await call('orient')).text, /Harbour Bot/)
  const path = 'projects/general/docs/tides.md'
  const written = await call('write', { path, text: '# Tides\n\nHigh at six.\n' })
  t.match(written.value, { path, changed: true })
  const edited = await call('edit', { path, edits: [{ find: 'six', replace: 'seven' }] })
  t.match(edited.value, { path, changed: true })
  t.match((await call('read', { path })).value, { path, text: /High at seven/ })
  const { headings } = (await call('read', { path, view: 'outline' })).value
  t.match(headings, [{ depth: 1, text: 'Tides' }])
  const { entries } = (await call('list', { path: 'projects/general/docs', limit: 1 })).value
  t.match(entries, [{ path, title: 'Tides' }])
  t.match((await call('search', { query: 'seven' })).value.results, [{ path, type: 'document' }])
  const { revisions } = (await call('history', { path })).value
  t.equal(revisions.length, 2)
  const { difference } = (await call('history', { path, revision: revisions[1].revision })).value
  t.match(difference, /-High at six\.\n\+High at seven\./)
  t.match((await call('move', { path, to: 'guides/tides.md' })).value, {
    path: 'projects/general/docs/guides/tides.md',
  })
})

t.test('a draft is published, deleted things come back', async (t) => {
  const { value } = await call('write', {
    path: 'projects/general/drafts/news.md',
    text: '# News\n\nFor all.\n',
  })
  const post = await call('move', { path: value.path, to: 'posts' })
  t.match(post.value.path, /^projects\/general\/posts\//)
  const path = 'projects/general/docs/old.md'
  await call('write', { path, text: '# Old\n\nText.\n' })
  t.match((await call('delete', { path })).value, { deleted: true })
  const { entries } = (await call('list', { path: 'projects/general/trash' })).value
  t.match((await call('restore', { path: entries[0].path })).value, { path })
})

t.test('what is said, asked and done is where people see it', async (t) => {
  const rooms = (await request('GET', '/api/rooms', { key: bot.key })).json
  const said = await call('say', { room: rooms[0]._id, text: 'Hello @Ada' })
  t.match(said.value.id, /^msg_/)
  const raised = await call('asks', { action: 'raise', project: 'general', title: 'Paint the boat' })
  const ask = raised.value.ask.askId
  t.match((await call('asks', { action: 'list', project: 'general' })).value.asks, [{ id: ask }])
  t.match((await call('asks', { action: 'claim', ask })).value.ask, { state: 'claimed' })
  t.match((await call('asks', { action: 'resolve', ask, resolution: 'Done' })).value.ask, {
    state: 'resolved',
  })
  t.same((await call('inbox')).value.records, [])
  const { cursor } = (await call('follow')).value
  await request('POST', `/api/rooms/${rooms[0]._id}/messages`, { body: { body: 'Who is there?' } })
  const { events } = (await call('follow', { since: cursor })).value
  t.match(events, [{ type: 'message', preview: 'Who is there?' }])
  const { members } = (await call('who')).value
  t.same(members.map(({ name }: { name: string }) => name).sort(), ['Ada', 'Harbour Bot'])
})

t.test('a refusal is a tool error in the words of the interface', async (t) => {
  const missing = await call('read', { path: 'projects/general/docs/absent.md' })
  t.match(missing, { isError: true, text: /There is no document "absent\.md"/ })
  const path = 'projects/general/docs/tight.md'
  await call('write', { path, text: '# Tight\n\nRope.\n' })
  const unfound = await call('edit', { path, edits: [{ find: 'Chain', replace: 'Rope' }] })
  t.match(unfound, { isError: true, text: /EDIT_CONFLICT.*Rope\./s })
})

t.test('without a key nothing is told, and a session is none', async (t) => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const answer = await request('POST', '/mcp', { key: undefined, body })
  t.equal(answer.status, 401)
  t.equal(answer.headers['www-authenticate'], 'Bearer')
  const foreign = await request('POST', '/mcp', { body, headers: { Origin: 'https://elsewhere.example' } })
  t.equal(foreign.status, 403)
  const get = await request('GET', '/mcp')
  t.match([get.status, get.headers.allow], [405, 'POST'])
})

t.test('every file is a resource, which is listed, completed and read', async (t) => {
  await call('write', { path: 'projects/general/docs/piers.md', text: '# Piers\n\nThree.\n' })
  const uri = 'workroom://projects/general/docs/piers.md'
  const { resources } = await client.listResources()
  t.ok(resources.some((one) => one.uri === uri && one.name === 'Piers'))
  const { contents } = await client.readResource({ uri })
  t.match(contents, [{ uri, mimeType: 'text/markdown', text: /Three\./ }])
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'workroom://{+path}' },
    argument: { name: 'path', value: 'projects/general/docs/pie' },
  })
  t.same(completion.values, ['projects/general/docs/piers.md'])
})
