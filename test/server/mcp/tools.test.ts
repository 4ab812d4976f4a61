import t, { type Test } from 'tap'
import { type ConnectedClient, connections, connectMcp } from '../../support/mcp-client.ts'
import { startWorkroom, type Workroom } from '../../support/workroom.ts'

const skill = '---\nname: tides\ndescription: When to sail.\n---\n\n# Tides\n\nAsk the moon.\n'
const publishing = (version: number, draft: number) => ({
  project: 'general',
  name: 'tides',
  expectedVersion: version,
  expectedDraftRevision: draft,
})

for (const connection of connections) {
  t.test(`over ${connection}`, async (t) => {
    const workroom = await startWorkroom(t)
    const { owner } = workroom
    const bot = await workroom.addMember(
      { name: 'Harbour Bot', type: 'agent', ownerId: owner.member.id },
      'general',
    )
    const connected = await connectMcp(t, workroom.url, { key: bot.key, connection })
    const called = new Set<string>()
    const call: ConnectedClient['call'] = (name, args) => {
      called.add(name)
      return connected.call(name, args)
    }
    await t.test('tools', (t) => testTools(t, { ...workroom, ...connected, call, bot }))
    await t.test('resources', (t) => testResources(t, { ...workroom, ...connected, call, bot }))
    const { tools } = await connected.client.listTools()
    t.same([...called].sort(), tools.map(({ name }) => name).sort(), 'every tool was called')
  })
}

interface Setting extends Workroom, ConnectedClient {
  bot: { key: string }
}

async function testTools(t: Test, { client, call, request, bot }: Setting): Promise<void> {
  await t.test('there are at most fifteen tools, with schemas, annotations and descriptions', async (t) => {
    const { tools } = await client.listTools()
    t.ok(tools.length <= 15, `${tools.length} tools`)
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      t.match(inputSchema, { type: 'object', additionalProperties: false }, name)
      t.match(outputSchema, { type: 'object', properties: {} }, name)
      t.ok(description!.length > 40, name)
      const { readOnlyHint, destructiveHint, idempotentHint } = annotations!
      t.type(readOnlyHint, 'boolean', name)
      for (const hint of [destructiveHint, idempotentHint]) t.equal(hint === undefined, readOnlyHint, name)
    }
    const hinted = (hint: 'readOnlyHint' | 'destructiveHint' | 'idempotentHint') =>
      tools.filter(({ annotations }) => annotations![hint]).map(({ name }) => name)
    t.same(hinted('readOnlyHint'), ['orient', 'list', 'read', 'search', 'history', 'follow', 'who'])
    t.same(hinted('destructiveHint'), ['write', 'edit', 'delete'])
    t.same(hinted('idempotentHint'), ['write', 'delete', 'inbox'])
    t.match(await call('search', { query: 'tides', colour: 'red' }), { isError: true, text: /colour/ })
    t.match(await call('follow', { since: 1, waitSeconds: 26 }), { isError: true, text: /waitSeconds/ })
  })

  await t.test('an agent finds its way, writes, edits, and reads again', async (t) => {
    const oriented = await call('orient')
    t.match(oriented.text, /Harbour Bot/)
    t.same(oriented.value, { text: oriented.text }, 'structured content has the same text')
    const path = 'projects/general/docs/tides.md'
    const written = await call('write', { path, text: '# Tides\n\nHigh at six.\n' })
    t.match(written.value, { path, unchanged: undefined })
    const again = await call('write', { path, text: '# Tides\n\nHigh at six.\n' })
    t.match(again.value, { path, revision: written.value.revision, unchanged: true })
    const edited = await call('edit', { path, edits: [{ find: 'six', replace: 'seven' }] })
    t.match(edited.value, { path, unchanged: undefined })
    const read = await call('read', { path })
    t.match(
      read.text,
      /^---\nid: doc_\S+\nauthor: Harbour Bot\npublishedAt: [\s\S]*\n# Tides\n\nHigh at seven/,
    )
    t.same(read.value, { text: read.text, revision: edited.value.revision })
    const { content } = await client.callTool({ name: 'read', arguments: { path } })
    t.same(JSON.parse((content as { text: string }[])[1]!.text), { revision: edited.value.revision })
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

  await t.test('a draft is published, and deleted documents are restored', async (t) => {
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

  await t.test('messages and asks by an agent are where people see them', async (t) => {
    const rooms = (await request('GET', '/api/rooms', { key: bot.key })).json
    const said = await call('say', { room: rooms[0]._id, text: 'Hello @Ada' })
    t.match(said.value.id, /^msg_/)
    const raised = await call('asks', { action: 'raise', project: 'general', title: 'Paint the boat' })
    const ask = raised.value.ask.id
    t.match((await call('asks', { action: 'list', project: 'general' })).value.asks, [{ id: ask }])
    t.match((await call('asks', { action: 'claim', ask })).value.ask, { state: 'claimed' })
    t.match((await call('asks', { action: 'release', ask })).value.ask, { state: 'open' })
    await call('asks', { action: 'claim', ask })
    t.match((await call('asks', { action: 'resolve', ask, resolution: 'Done' })).value.ask, {
      state: 'resolved',
    })
    t.same((await call('inbox')).value.records, [])
    const { cursor } = (await call('follow')).value
    await request('POST', `/api/rooms/${rooms[0]._id}/messages`, { body: { body: 'Who is there?' } })
    const { events } = (await call('follow', { since: cursor })).value
    t.match(events, [{ type: 'message', preview: 'Who is there?' }])
    const quiet = (await call('follow')).value.cursor
    t.same((await call('follow', { since: quiet, waitSeconds: 0 })).value, { events: [], cursor: quiet })
    const { members } = (await call('who')).value
    t.same(members.map(({ name }: { name: string }) => name).sort(), ['Ada', 'Harbour Bot'])
  })

  await t.test('a refusal is a tool error with the message of the interface', async (t) => {
    const missing = await call('read', { path: 'projects/general/docs/absent.md' })
    t.match(missing, { isError: true, text: /There is no document "absent\.md"/ })
    const path = 'projects/general/docs/tight.md'
    await call('write', { path, text: '# Tight\n\nRope.\n' })
    const unfound = await call('edit', { path, edits: [{ find: 'Chain', replace: 'Rope' }] })
    t.match(unfound, { isError: true, text: /EDIT_CONFLICT.*Rope\./s })
  })
}

async function testResources(t: Test, { client, call, request, bot }: Setting): Promise<void> {
  await t.test('every file is a resource that is listed, completed and read', async (t) => {
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
    const { resourceTemplates } = await client.listResourceTemplates()
    t.match(resourceTemplates, [{ uriTemplate: 'workroom://{+path}' }])
  })

  await t.test(
    'everything that is listed can be read: documents, posts, drafts, cards, transcripts and generated files',
    async (t) => {
      const files = ['posts/sailed.md', 'drafts/plans.md', 'board/02-todo/paint.md']
      for (const file of files)
        await call('write', { path: `projects/general/${file}`, text: `# For ${file}\n\nText.\n` })
      const uris = (await client.listResources()).resources.map(({ uri }) => uri)
      for (const kind of [
        /README\.md$/,
        /general$/,
        /plan\.md$/,
        /rooms\/general\.md$/,
        /\/posts\/.*sailed/,
        /\/drafts\/.*plans/,
        /\/board\/02-todo\/\d+-for/,
      ]) {
        t.ok(
          uris.some((uri) => kind.test(uri)),
          String(kind),
        )
      }
      for (const uri of uris) t.type((await client.readResource({ uri })).contents.length, 'number', uri)
      const absent = 'workroom://projects/general/docs/absent.md'
      await t.rejects(client.readResource({ uri: absent }), { code: -32602, message: /There is no document/ })
    },
  )

  await t.test('a published skill is a prompt, with links to its files', async (t) => {
    t.same((await client.listPrompts()).prompts, [])
    const files = { 'SKILL.md': skill, 'tables/march.csv': 'high,low\n' }
    await request('POST', '/v1/skills', { key: bot.key, body: { ...publishing(0, 0), files } })
    t.same((await client.listPrompts()).prompts, [], 'a draft is not a prompt')
    await request('POST', '/v1/skills/publish', { key: bot.key, body: publishing(0, 1) })
    t.match((await client.listPrompts()).prompts, [
      { name: 'general/tides', title: 'tides', description: 'When to sail.' },
    ])
    const { messages } = await client.getPrompt({ name: 'general/tides' })
    t.match(messages, [
      { role: 'user', content: { type: 'text', text: skill } },
      {
        content: { type: 'resource_link', uri: 'workroom://projects/general/skills/tides/tables/march.csv' },
      },
    ])
    const link = messages[1]!.content as { uri: string }
    t.match((await client.readResource({ uri: link.uri })).contents, [{ text: 'high,low\n' }])
    await t.rejects(client.getPrompt({ name: 'general/absent' }), /There is no prompt/)
  })
}
