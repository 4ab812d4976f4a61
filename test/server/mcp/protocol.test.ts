import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import t from 'tap'
import { connectMcp } from '../../support/mcp-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, owner, eventually } = workroom

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const accept = { Accept: 'application/json, text/event-stream' }
const initialize = rpc('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})

async function newSession(key = owner.key): Promise<string> {
  const response = await request('POST', '/mcp', { key, body: initialize, headers: accept })
  return String(response.headers['mcp-session-id'])
}

/** Opens the stream of a session, and keeps what it sends. */
async function openStream(headers: Record<string, string>, key = owner.key) {
  const sent = httpRequest(`${workroom.url}/mcp`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'text/event-stream', ...headers },
  })
  sent.on('error', () => {})
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const stream = { status: response.statusCode!, text: '', hasEnded: false, close: () => sent.destroy() }
  t.teardown(stream.close)
  response.setEncoding('utf8').on('data', (text: string) => {
    stream.text += text
  })
  response.on('close', () => {
    stream.hasEnded = true
  })
  return stream
}

t.test(
  'requests without a valid key are refused, and so are those from the pages of other sites',
  async (t) => {
    const body = rpc('tools/list')
    const response = await request('POST', '/mcp', { key: undefined, body })
    t.match([response.status, response.headers['www-authenticate']], [401, 'Bearer'])
    const wrong = await request('POST', '/mcp', { key: 'wr_unknown', body })
    t.match([wrong.status, wrong.headers['www-authenticate']], [401, 'Bearer error="invalid_token"'])
    for (const headers of [
      { Origin: 'https://elsewhere.example' },
      { Origin: 'http://elsewhere.example', Host: 'elsewhere.example' },
      { Origin: 'null' },
    ]) {
      for (const method of ['POST', 'GET', 'DELETE']) {
        const refused = await request(method, '/mcp', { headers, ...(method === 'POST' && { body }) })
        t.equal(refused.status, 403, `${method} from ${headers.Origin}`)
      }
    }
    const own = await request('POST', '/mcp', { body, headers: { ...accept, Origin: workroom.url } })
    t.equal(own.status, 200)
  },
)

t.test('a tool can do what its key may do, and is refused with the same message', async (t) => {
  const scopes = ['documents:read', 'rooms:read'] as const
  const limited = await workroom.addMember({ name: 'Limited', type: 'agent', scopes }, 'general')
  const { key } = limited
  const { call } = await connectMcp(t, workroom.url, { key })
  const path = 'projects/general/docs/limited.md'
  await request('PUT', `/v1/fs/${path}`, { body: '# Limited\n\nText.\n' })
  t.match(await call('read', { path }), { isError: false, text: /Text\./ })
  const body = '# Limited\n\nMore.\n'
  const refused = await request('PUT', `/v1/fs/${path}`, { key, body })
  t.match(refused, { status: 403, json: { message: /lacks the scope documents:write/ } })
  t.match(await call('write', { path, text: body }), { isError: true, text: refused.json.message })
  for (const [tool, input, scope] of [
    ['edit', { path, edits: [{ append: 'More.' }] }, 'documents:write'],
    ['delete', { path }, 'documents:write'],
    ['say', { room: 'general', text: 'Hello' }, 'rooms:write'],
    ['asks', { action: 'list' }, 'asks:read'],
    ['inbox', {}, 'mentions:read'],
  ] as const) {
    t.match(await call(tool, input), { isError: true, text: `lacks the scope ${scope}` }, tool)
  }
})

t.test('each request is answered by itself, in a known version of the protocol', async (t) => {
  const list = (headers: object = {}) =>
    request('POST', '/mcp', { body: rpc('tools/list'), headers: { ...accept, ...headers } })
  t.match(await list(), { status: 200, text: /"orient"/ })
  t.match(await list({ 'Mcp-Session-Id': 'of-an-earlier-run' }), { status: 200, text: /"orient"/ })
  t.match(await list({ 'MCP-Protocol-Version': '2025-11-25' }), { status: 200 })
  t.equal((await list({ 'MCP-Protocol-Version': '1999-01-01' })).status, 400)
  const notified = await request('POST', '/mcp', {
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    headers: accept,
  })
  t.match([notified.status, notified.text], [202, ''])
  const get = await request('GET', '/mcp')
  t.match([get.status, get.headers.allow], [405, 'GET, POST, DELETE'])
  t.equal((await request('PUT', '/mcp', { body: {} })).status, 405)
  for (const method of ['POST', 'GET', 'DELETE']) {
    const refused = await request(method, '/mcp?page=2', method === 'POST' ? { body: rpc('ping') } : {})
    t.match(refused.text, /no parameter \?page=/, method)
  }
})

t.test('a subscription needs a session, which can be ended and does not survive a restart', async (t) => {
  const subscribe = rpc('resources/subscribe', { uri: 'workroom://projects/general/plan.md' })
  const without = await request('POST', '/mcp', { body: subscribe, headers: accept })
  t.match(without.text, /Mcp-Session-Id/)
  const session = { 'Mcp-Session-Id': await newSession() }
  const absent = rpc('resources/subscribe', { uri: 'workroom://projects/general/docs/absent.md' })
  t.match(
    (await request('POST', '/mcp', { body: absent, headers: { ...accept, ...session } })).text,
    /-32602/,
  )
  t.match(
    (await request('POST', '/mcp', { body: subscribe, headers: { ...accept, ...session } })).text,
    /"result":\{\}/,
  )
  t.equal((await openStream({ 'Mcp-Session-Id': 'of-an-earlier-run' })).status, 404)
  t.equal((await openStream({ 'MCP-Protocol-Version': '1999-01-01' })).status, 400)
  t.equal((await openStream({ 'Last-Event-ID': 'seven' })).status, 400)
  t.equal((await request('DELETE', '/mcp', { headers: session })).status, 204)
  t.equal((await request('DELETE', '/mcp')).status, 404)
})

t.test('a client that lost the stream continues where it was, and misses nothing', async (t) => {
  const session = { 'Mcp-Session-Id': await newSession() }
  const first = await openStream(session)
  await eventually(() => first.text.includes('retry:'))
  const [, id] = /^id: (\S+)$/m.exec(first.text)!
  first.close()
  await request('PUT', '/v1/fs/projects/general/docs/meanwhile.md', { body: '# Meanwhile\n\nText.\n' })
  const second = await openStream({ ...session, 'Last-Event-ID': id! })
  await eventually(() => second.text.includes('notifications/resources/list_changed'))
  t.notMatch(second.text, new RegExp(`^id: ${id}\\ndata: \\{`, 'm'))
  second.close()
})

t.test('a stream sends only what its reader may know, and ends with the key', async (t) => {
  const reader = await workroom.addMember({ name: 'Reader', type: 'agent' }, 'general')
  const { client, notified } = await connectMcp(t, workroom.url, { key: reader.key })
  const uri = 'workroom://projects/general/docs/open.md'
  const write = (text: string) =>
    request('PUT', '/v1/fs/projects/general/docs/open.md', { body: `# Open\n\n${text}\n` })
  await write('One.')
  await client.subscribeResource({ uri })
  const session = { 'Mcp-Session-Id': await newSession(reader.key) }
  const stream = await openStream(session, reader.key)
  await write('Two.')
  await eventually(() => notified.updated.length === 1)

  await request('PUT', '/v1/fs/projects/general/drafts/secret.md', { body: '# Secret\n\nText.\n' })
  await request('PUT', '/v1/fs/projects/general/docs/last.md', { body: '# Last\n\nText.\n' })
  await eventually(() => stream.text.includes('list_changed'))
  t.equal(stream.text.match(/list_changed/g)?.length, 1, 'not of another member’s draft')

  const project = await request('POST', '/v1/fs/projects', { body: { name: 'Hidden' } })
  t.equal(project.status, 201)
  await request('PUT', '/v1/fs/projects/hidden/docs/there.md', { body: '# There\n\nText.\n' })
  const keys = (await request('GET', `/api/members/${reader.member.id}/keys`)).json
  await request('DELETE', `/api/members/${reader.member.id}/keys/${(keys.keys ?? keys)[0].id}`)
  await eventually(() => stream.hasEnded)
  t.equal(stream.text.match(/list_changed/g)?.length, 1, 'nor of another project')
  t.equal((await openStream(session, reader.key)).status, 401)
})

t.test('a key may have eight streams at a time', async (t) => {
  const reader = await workroom.addMember({ name: 'Many', type: 'agent' }, 'general')
  const streams = await Promise.all(Array.from({ length: 8 }, () => openStream({}, reader.key)))
  t.same(new Set(streams.map(({ status }) => status)), new Set([200]))
  t.equal((await openStream({}, reader.key)).status, 429)
  streams[0]!.close()
  await eventually(async () => (await openStream({}, reader.key)).status === 200)
})

t.test(
  'the size limit of files is the same for tools and requests, and both refuse a larger file',
  async (t) => {
    const { call, client } = await connectMcp(t, workroom.url, { key: owner.key })
    const path = 'projects/general/docs/log.md'
    const lines = (bytes: number) => `# Log\n\n${'High at six.\n'.repeat(bytes / 13)}`
    t.match((await call('write', { path, text: lines(1.9 * 1024 * 1024) })).value, { path })
    t.match(await call('write', { path, text: lines(2.1 * 1024 * 1024) }), {
      isError: true,
      text: /Markdown may be at most 2 MB long/,
    })
    await t.rejects(client.callTool({ name: 'write', arguments: { path, text: lines(5 * 1024 * 1024) } }))
    const body = JSON.stringify(rpc('tools/call', { name: 'write', arguments: { path, text: lines(5e6) } }))
    const refused = await request('POST', '/mcp', { body, headers: { 'Content-Type': 'application/json' } })
    t.match([refused.status, refused.json], [413, { jsonrpc: '2.0', error: { message: /at most 4 MB/ } }])
  },
)
