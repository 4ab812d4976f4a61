import t from 'tap'
import { connectMcp } from '../../support/mcp-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, owner } = workroom
const { call, client } = await connectMcp(t, workroom.url, { key: owner.key })
const project = 'projects/general'
const accept = { Accept: 'application/json, text/event-stream' }
const put = (path: string, body: string | Buffer) => request('PUT', `/v1/fs/${project}/${path}`, { body })

t.test('folders are listed, and a file is said to be a file', async (t) => {
  await put('docs/tides.md', '# Tides\n\nHigh at six.\n')
  await put('docs/guides/setup.md', '# Setup\n\nFirst.\n')
  await request('POST', `/v1/fs/${project}/library/files?name=dot.png`, { body: Buffer.from('\x89PNG') })
  const pathsIn = async (path: string, more = {}) =>
    (await call('list', { path, ...more })).value.entries.map((entry: { path: string }) => entry.path)
  t.same((await pathsIn('')).slice(0, 2), ['projects', 'rooms'])
  const places = await pathsIn(project)
  for (const path of places) {
    const name = /\.md$/.test(path) ? 'read' : 'list'
    const { isError, text } = await call(name, { path })
    t.notOk(isError && !/pulls|repositories/.test(path), `${name} ${path}: ${text}`)
  }
  t.ok(places.includes(`${project}/README.md`))
  for (const folder of ['board', 'library/files', 'skills', 'trash', 'docs', 'docs/guides', 'posts']) {
    const result = await call('list', { path: `${project}/${folder}`, limit: 5 })
    t.notOk(result.isError, `${folder}: ${result.text}`)
  }
  t.same(await pathsIn(`/v1/fs/${project}/library/documents/guides`), [`${project}/docs/guides/setup.md`])
  for (const path of ['docs/tides.md', 'plan.md', 'library/files/dot.png']) {
    t.match(await call('list', { path: `${project}/${path}` }), {
      isError: true,
      text: /is a file.*use read/,
    })
  }
  t.match(await call('list', { path: 'projects/absent' }), { isError: true, text: /There is no project/ })
})

/** Fetches one page, because the client gathers all. */
async function resourcesFrom(
  cursor: string | undefined,
): Promise<{ resources: { uri: string }[]; nextCursor?: string }> {
  const body = { jsonrpc: '2.0', id: 1, method: 'resources/list', params: cursor ? { cursor } : {} }
  return (await request('POST', '/mcp', { body, headers: accept })).json.result
}

t.test('long lists come in pages, each with the cursor of the next', async (t) => {
  for (let n = 0; n < 300; n++) await put(`docs/n${n}.md`, `# Note ${n} ${'x'.repeat(100)}\n\nText.\n`)
  const folder = `${project}/docs`
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const { value, text } = await call('list', { path: folder, ...(cursor !== undefined && { cursor }) })
    t.ok(value.entries.length <= 100 && text.length < 40_000, `${text.length} characters`)
    for (const { path } of value.entries) seen.add(path)
    cursor = value.nextCursor
  } while (cursor !== undefined)
  t.ok(seen.size >= 300, `${seen.size} paths`)
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'workroom://{+path}' },
    argument: { name: 'path', value: `${folder}/note-` },
  })
  t.match([completion.values.length, completion.hasMore, completion.total], [100, true, 300])

  const uris = new Set<string>()
  let pages = 0
  do {
    const page = await resourcesFrom(cursor)
    t.ok(page.resources.length <= 130, `${page.resources.length} resources`)
    for (const { uri } of page.resources) uris.add(uri)
    cursor = page.nextCursor
    pages += 1
  } while (cursor !== undefined)
  t.ok(pages >= 3, `${pages} pages`)
  for (const path of seen) t.ok(uris.has(`workroom://${path}`), path)
})

t.test('long texts, outlines, differences and lists are cut, and can be read on', async (t) => {
  const path = `${project}/docs/long.md`
  const sections = Array.from({ length: 250 }, (_, n) => `## Part ${n}\n\nText ${n}.\n`)
  await put('docs/long.md', `# Long\n\n${'word '.repeat(4000)}end\n\n${sections.join('\n')}`)
  /** Calls until nothing is left, and joins the parts. */
  const whole = async (
    name: string,
    input: object,
    part: (result: Awaited<ReturnType<typeof call>>) => string,
  ) => {
    let [text, from, parts] = ['', 0 as number | undefined, 0]
    while (from !== undefined) {
      const result = await call(name, { ...input, from })
      const shown = part(result)
      t.ok(shown.length <= 16_100, `${name}: ${shown.length} characters`)
      text += shown
      from = result.value?.next
      parts += 1
    }
    t.ok(parts > 1, `${name} in ${parts} parts`)
    return text
  }
  const outline = await call('read', { path, view: 'outline' })
  const begun = outline.value
  t.same(JSON.parse(outline.text), begun)
  t.match([begun.headings.length, begun.next], [200, 200])
  const rest = (await call('read', { path, view: 'outline', from: 200 })).value
  t.match([rest.headings.length, rest.next], [51, undefined])
  const { blocks } = (await request('GET', `/v1/fs/${path}?view=blocks`)).json
  const { id } = blocks.find(({ text }: { text: string }) => text.startsWith('word'))
  const block = await whole('read', { path, block: id }, ({ text }) => text)
  t.equal(block, `${'word '.repeat(4000)}end`)
  const [{ revision }] = (await call('history', { path })).value.revisions
  await put('docs/long.md', `# Long\n\nShort.\n\n${sections.join('\n')}`)
  const difference = await whole('history', { path, revision }, ({ value }) => value.difference)
  t.match(difference, /^-word .* end\n\+Short\.$/m)
  for (let n = 0; n < 24; n++) await put('docs/long.md', `# Long\n\nVersion ${n}.\n`)
  const page = (await call('history', { path })).value
  t.equal(page.revisions.length, 20)
  t.equal((await call('history', { path, cursor: page.nextCursor })).value.revisions.length, 6)
})

t.test('asks, members and the inbox come in parts, too', async (t) => {
  const body = 'long '.repeat(5000)
  const raised = await call('asks', { action: 'raise', project: 'general', title: 'Long', body })
  const ask = raised.value.ask.id
  const [listed] = (await call('asks', { action: 'list', project: 'general' })).value.asks
  t.match([listed.body.length, listed.next], [1000, 1000])
  const first = (await call('asks', { action: 'read', ask })).value.ask
  const second = (await call('asks', { action: 'read', ask, from: first.next })).value.ask
  t.match([first.body + second.body, second.next], [body, undefined])
  for (let n = 0; n < 55; n++) await call('asks', { action: 'raise', project: 'general', title: `Ask ${n}` })
  const page = (await call('asks', { action: 'list' })).value
  t.equal(page.asks.length, 50)
  t.equal((await call('asks', { action: 'list', cursor: page.nextCursor })).value.asks.length, 6)

  const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
  for (let n = 0; n < 110; n++) await workroom.addMember({ name: `Member ${n}`, type: 'human' })
  const members = (await call('who')).value
  t.equal(members.members.length, 100)
  t.equal((await call('who', { cursor: members.nextCursor })).value.members.length, 12)

  const [room] = (await request('GET', '/api/rooms', { key: bot.key })).json
  for (let n = 0; n < 60; n++) {
    const said = { body: `${n} @[Ada](${owner.member.id})` }
    await request('POST', `/api/rooms/${room._id}/messages`, { key: bot.key, body: said })
  }
  const inbox = (await call('inbox')).value
  t.match([inbox.records.length, inbox.more], [50, true])
  await call('inbox', { markRead: inbox.records.map(({ id }: { id: string }) => id) })
  t.match((await call('inbox')).value, { records: { length: 10 }, more: undefined })
})

t.test('a tool call counts as one request, however many it makes', async (t) => {
  const { limits } = (await import('../../../core/config.ts')).defaultConfig
  const limited = await startWorkroom(t, { config: { limits: { ...limits, requestsPerMinute: 8 } } })
  const agent = await connectMcp(t, limited.url, { key: limited.owner.key })
  t.notOk((await agent.call('who')).isError)
  t.notOk((await agent.call('who')).isError)
  t.notOk((await agent.call('orient')).isError)
  const statuses = []
  for (let n = 0; n < 8; n++) statuses.push((await limited.request('GET', '/v1/fs/me/api-key')).status)
  t.same([statuses[0], statuses.at(-1)], [200, 429], 'tool calls are counted')
  await t.rejects(agent.call('who'), /8 requests a minute/)
})
