import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { davClient } from '../../support/dav-client.ts'
import { eventsOf } from '../../support/event-log.ts'
import type { RequestOptions } from '../../support/http-client.ts'
import { davPath, markdownBytes, mountedProject, statusOf, tree } from '../../support/mounted-project.ts'

const {
  workroom,
  grace,
  ownerClient,
  memberClient,
  leadClient,
  outsiderClient,
  pathOnDisk,
  put,
  get,
  remove,
  transfer,
  move,
  readJson,
} = await mountedProject(t)
const { request, home, clock, owner } = workroom
/** Returns the id of a document, read in the file tree. */
const idOf = async (path: string, key = grace.key) =>
  /^id: (\S+)$/m.exec((await request('GET', tree + path, { key })).text)?.[1]
/** The number of events that `newEvents` has returned. */
let seenCount = 0
const newEvents = () => {
  const events = eventsOf(home)
  const fresh = events.slice(seenCount)
  seenCount = events.length
  return fresh.map(({ type, actorId, documentId, detail: { path, previousPath } }) => ({
    type,
    actorId,
    documentId,
    path: path.replace(`${tree}/`, ''),
    ...(previousPath && { previousPath: previousPath.replace(`${tree}/`, '') }),
  }))
}

t.test('the mount has the tree of the disk, as far as the caller may see it', async (t) => {
  await put('/documents/guides.md')
  t.strictSame(await memberClient.list('/'), ['projects'])
  t.strictSame(await memberClient.list('/projects/'), ['general'])
  t.strictSame(await memberClient.list(davPath), [
    'README.md',
    'posts',
    'drafts',
    'documents',
    'board',
    'files',
  ])
  t.strictSame(await memberClient.list(`${davPath}/board`), [
    '01-triage',
    '02-todo',
    '03-in-progress',
    '04-done',
  ])
  t.strictSame(await memberClient.list(`${davPath}/drafts`), ['grace'])
  t.strictSame(await outsiderClient.list('/projects'), [])
  t.match(await outsiderClient.send('PROPFIND', davPath, { headers: { Depth: '1' } }), { status: 403 })
  t.equal(await statusOf(outsiderClient.send('GET', `${davPath}/documents/guides.md`)), 403)
  t.equal(await statusOf(memberClient.send('GET', '/projects/nowhere/')), 404)
  t.equal((await get('/')).text, 'README.md\nposts/\ndrafts/\ndocuments/\nboard/\nfiles/\n')
})

t.test('a file is sent as it is on the disk, with the length and ETag of its bytes', async (t) => {
  const text = '---\ntags: [a]\n---\n\r\n# Ünder @Ada\r\n\r\nno end'
  const { status, headers } = await put('/documents/bytes.md', text)
  t.equal(status, 201)
  t.equal(readFileSync(pathOnDisk('documents/bytes.md'), 'utf8'), text)
  const read = await get('/documents/bytes.md')
  t.strictSame([read.text, read.headers.etag], [text, headers.etag])
  const [entry] = await memberClient.find(`${davPath}/documents/bytes.md`, '0')
  const length = String(Buffer.byteLength(text))
  t.match(entry!.properties, {
    getcontentlength: length,
    getetag: headers.etag,
    getcontenttype: 'text/markdown; charset=utf-8',
    getlastmodified: read.headers['last-modified'],
    displayname: 'bytes.md',
  })
  const head = await memberClient.send('HEAD', `${davPath}/documents/bytes.md`)
  t.strictSame([head.status, head.headers['content-length'], head.text], [200, length, ''])
  t.match(await get('/documents/bytes.md', memberClient, { Range: 'bytes=4-7' }), {
    status: 206,
    text: 'tags',
  })
  t.equal(await statusOf(get('/documents/bytes.md', memberClient, { 'If-None-Match': headers.etag })), 304)
  const unquoted = { 'If-None-Match': headers.etag!.slice(1, -1), Depth: '0' }
  t.match(await get('/documents/bytes.md', memberClient, unquoted), { status: 200, text })
  t.equal(
    await statusOf(memberClient.send('PROPFIND', `${davPath}/documents/bytes.md`, { headers: unquoted })),
    207,
  )
  t.match((await request('GET', `${tree}/docs/bytes.md`)).text, /^authorId: .*\n[\s\S]*^tags: \[a\]/m)
})

t.test(
  'a write is the caller’s, like any other: one event, one revision, links and search entries',
  async (t) => {
    newEvents()
    await put('/documents/door.md', '---\nid: doc_x\nauthor: Ada\n---\nSee [[bytes]] @Grace\n')
    const id = (await idOf('/docs/door.md'))!
    t.not(id, 'doc_x')
    const path = 'library/documents/door.md'
    t.strictSame(newEvents(), [{ type: 'doc.write', actorId: grace.member.id, documentId: id, path }])
    t.equal(
      await statusOf(put('/documents/door.md', '---\nid: doc_x\nauthor: Ada\n---\nSee [[bytes]] @Grace\n')),
      204,
    )
    t.strictSame(newEvents(), [], 'the same bytes are no change')
    t.equal(await statusOf(put('/documents/door.md', 'Zebras see [[n:x]]\n', ownerClient)), 204)
    t.match(newEvents(), [{ documentId: id, actorId: owner.member.id }])
    const { revisions } = await readJson('/docs/door.md/_revisions')
    t.match(revisions, [
      { author: 'Ada', via: 'api' },
      { author: 'Grace', via: 'api' },
    ])
    t.match((await request('GET', '/v1/search?q=zebras')).json.results, [{ id, title: 'door' }])
  },
)

t.test('a save on the disk just before a write is a revision of its own before it', async (t) => {
  await put('/documents/settled.md', 'one')
  writeFileSync(pathOnDisk('documents/settled.md'), 'by hand')
  await put('/documents/settled.md', 'over it')
  t.equal(readFileSync(pathOnDisk('documents/settled.md'), 'utf8'), 'over it')
  const { revisions } = await readJson('/docs/settled.md/_revisions')
  t.strictSame(
    revisions.map(({ via }: { via: string }) => via),
    ['api', 'disk', 'api'],
  )
  writeFileSync(pathOnDisk('documents/by-hand.md'), 'quite new')
  t.ok((await memberClient.list(`${davPath}/documents`)).includes('by-hand.md'))
  t.equal((await get('/documents/by-hand.md')).text, 'quite new')
})

t.test('a condition that does not hold is 412, and nothing is written', async (t) => {
  const { headers } = await put('/documents/conditions.md', 'one')
  const etag = headers.etag!
  const cases: [headers: RequestOptions['headers'], status: number][] = [
    [{ 'If-None-Match': '*' }, 412],
    [{ 'If-Match': '"0000"' }, 412],
    [{ 'If-None-Match': etag }, 412],
    [{ If: '(["0000"])' }, 412],
    [{ If: `(Not [${etag}])` }, 412],
    [{ 'If-Match': 'nonsense' }, 400],
    [{ 'If-None-Match': String(etag).slice(1, -1) }, 204],
    [{ 'If-None-Match': `nonsense, ${etag}` }, 412],
    [{ If: '(["x"]' }, 400],
    [{ 'If-Match': `"0000", W/${etag}` }, 204],
    [{ If: `(["0000"]) ([${etag}])` }, 204],
    [{ If: `</dav${davPath}/documents/bytes.md> (Not ["x"])` }, 204],
    [{ If: '<http://elsewhere/dav/x> (["x"])' }, 412],
  ]
  for (const [headers, status] of cases) {
    t.equal(
      await statusOf(put('/documents/conditions.md', 'one', memberClient, headers)),
      status,
      JSON.stringify(headers),
    )
  }
  t.equal(await statusOf(put('/documents/missing.md', 'one', memberClient, { 'If-Match': '*' })), 412)
  t.equal(
    await statusOf(
      memberClient.send('DELETE', `${davPath}/documents/conditions.md`, { headers: { 'If-Match': '"x"' } }),
    ),
    412,
  )
  const moved = await move('/documents/conditions.md', '/documents/moved.md', memberClient, {
    'If-Match': '"x"',
  })
  t.equal(moved.status, 412)
  t.equal((await get('/documents/conditions.md')).text, 'one')
})

t.test('what cannot be a file is refused with a message and leaves nothing', async (t) => {
  const long = Buffer.alloc(markdownBytes + 1, 'x')
  const cases: [path: string, body: string | Buffer, status: number, message: RegExp][] = [
    ['/documents/long.md', long, 413, /at most 20000 bytes/],
    ['/documents/latin.md', Buffer.from([0xe9]), 422, /UTF-8/],
    ['/documents/zero.md', 'a\0b', 422, /NUL/],
    ['/documents/CON.md', 'x', 422, /device/],
    ['/documents/a:b.md', 'x', 422, /character :/],
    [`/documents/${'x'.repeat(201)}.md`, 'x', 422, /longer than 200/],
    ['/documents/no/such.md', 'x', 409, /no folder .*Create it first/],
    ['/documents', 'x', 409, /folder has this name/],
    ['/posts/picture.png', 'x', 403, /Put other files into files/],
    ['/board/02-todo/picture.png', 'x', 403, /four columns/],
    ['/board/05-later/card.md', 'x', 409, /no folder/],
    ['/plan.md', 'x', 403, /A project holds README.md/],
    ['/drafts/next.md', 'x', 403, /own drafts/],
    ['/drafts/ada/next.md', 'x', 409, /no folder/],
    ['/skills/x.md', 'x', 409, /no folder/],
  ]
  for (const [path, body, status, message] of cases) {
    const response = await put(path, body)
    t.match([response.status, response.json.error], [status, message], path)
  }
  t.equal(
    await statusOf(put('/documents/part.md', 'x', memberClient, { 'Content-Range': 'bytes 0-0/2' })),
    400,
  )
  symlinkSync('/etc/hostname', pathOnDisk('documents/link.md'))
  t.equal(await statusOf(put('/documents/link.md', 'x')), 409)
  t.equal(await statusOf(get('/documents/link.md')), 404)
  t.notOk(
    (await memberClient.list(`${davPath}/documents`)).some((name) =>
      /^(?:long|latin|zero|CON|part|link)/.test(name),
    ),
  )
})

t.test('writing its file publishes a post, even if it begins empty, and it is immutable then', async (t) => {
  t.equal(await statusOf(put('/posts/hello.md', '')), 201)
  t.strictSame(await memberClient.list(`${davPath}/posts`), ['hello.md'], 'its author sees the empty file')
  t.strictSame(await ownerClient.list(`${davPath}/posts`), [])
  t.equal(await statusOf(put('/posts/hello.md', `# Hello @[Ada](${owner.member.id})\n`)), 204)
  t.strictSame(await ownerClient.list(`${davPath}/posts`), ['hello.md'])
  t.match((await request('GET', '/v1/fs/inbox/mentions.md')).text, /Hello/)
  for (const [client, status] of [
    [memberClient, 409],
    [ownerClient, 403],
  ] as const) {
    t.equal(await statusOf(put('/posts/hello.md', 'changed', client)), status)
    t.equal(await statusOf(move('/posts/hello.md', '/posts/other.md', client)), status)
    t.equal(await statusOf(move('/posts/hello.md', '/files/hello.txt', client)), status)
  }
  t.equal(await statusOf(transfer('COPY', '/posts/hello.md', '/drafts/grace/again.md')), 201)
  t.equal(await statusOf(remove('/posts/hello.md', leadClient)), 403)
  t.equal(await statusOf(remove('/posts/hello.md')), 204)
})

t.test('a draft is its author’s alone, and moving it publishes it once, with its id', async (t) => {
  await put('/drafts/grace/plan.md', '# Plan\n')
  const id = await idOf('/drafts/plan.md')
  for (const client of [ownerClient, leadClient]) {
    t.equal(await statusOf(get('/drafts/grace/plan.md', client)), 404)
    t.equal(
      await statusOf(client.send('PROPFIND', `${davPath}/drafts/grace`, { headers: { Depth: '1' } })),
      404,
    )
    t.equal(await statusOf(put('/drafts/grace/plan.md', 'mine', client)), 409)
    t.equal(await statusOf(move('/drafts/grace/plan.md', '/documents/plan.md', client)), 404)
  }
  newEvents()
  t.equal(await statusOf(move('/drafts/grace/plan.md', '/posts/plan.md')), 201)
  t.match(newEvents(), [{ documentId: id, path: 'posts/plan.md', previousPath: 'drafts/plan.md' }])
  t.equal(await idOf('/posts/plan.md'), id)
  const { status, json } = await put('/drafts/grace/later.md', '---\nscheduledFor: soon\n---\n# Later\n')
  t.match([status, json.error], [422, /scheduledFor/])
})

t.test('only its author can make a document a post or a draft', async (t) => {
  await put('/documents/mine.md', '# Mine\n')
  for (const folder of ['posts', 'drafts/ada']) {
    const { status, json } = await move('/documents/mine.md', `/${folder}/mine.md`, ownerClient)
    t.match([status, json.error], [403, /Only its author/])
  }
  t.equal(await statusOf(move('/documents/mine.md', '/drafts/grace/mine.md')), 201)
  t.equal(await statusOf(get('/documents/mine.md', ownerClient)), 404)
})

t.test('a card is created, moved over the board and closed by its file', async (t) => {
  t.equal(await statusOf(put('/board/02-todo/0007-task.md', '---\npriority: high\n---\n# Task\n')), 201)
  const [card] = (await readJson('/board/todo')).cards
  t.match(card, { number: 7, filename: '0007-task.md', priority: 'high', status: 'active' })
  t.equal(await statusOf(move('/board/02-todo/0007-task.md', '/board/04-done/0007-task.md')), 201)
  t.match((await readJson('/board/done')).cards, [{ id: card.id, number: 7, status: 'closed' }])
  const { status, json } = await put('/board/02-todo/bad.md', '---\npriority: huge\n---\n# Bad\n')
  t.match([status, json.error], [422, /priority/])
  await put('/documents/bad.md', '---\npriority: huge\n---\n# Bad\n')
  t.equal(await statusOf(move('/documents/bad.md', '/board/01-triage/bad.md')), 422)
})

t.test('a moved document keeps its id, and its old name answers in the file tree', async (t) => {
  await put('/documents/name.md', '# Name\n')
  const id = await idOf('/docs/name.md')
  t.equal(await statusOf(memberClient.send('MKCOL', `${davPath}/documents/sub`)), 201)
  newEvents()
  t.equal(await statusOf(move('/documents/name.md', '/documents/sub/other.md')), 201)
  t.match(newEvents(), [
    { documentId: id, path: 'library/documents/sub/other.md', previousPath: 'library/documents/name.md' },
  ])
  t.equal(await idOf('/docs/sub/other.md'), id)
  t.equal(await idOf('/docs/name.md'), id)
  t.equal(await statusOf(get('/documents/name.md')), 404)
  t.equal(await statusOf(move('/documents/sub/other.md', '/documents/sub/Other.md')), 201)
  t.strictSame(await memberClient.list(`${davPath}/documents/sub`), ['Other.md'])
  t.equal(await idOf('/docs/sub/Other.md'), id)
  t.equal(await statusOf(get('/documents/sub/other.md')), 404, 'case counts')
  t.equal(await statusOf(move('/documents/sub', '/documents/folder')), 201)
  t.equal(await idOf('/docs/folder/Other.md'), id)
  t.notOk(existsSync(pathOnDisk('documents/sub')))
})

t.test('moving a document over another replaces the other’s text and deletes the moved one', async (t) => {
  await put('/documents/target.md', '# Old\n', ownerClient)
  await put('/documents/new.md', '# New\n')
  const [target, source] = [await idOf('/docs/target.md'), await idOf('/docs/new.md')]
  t.equal(
    await statusOf(move('/documents/new.md', '/documents/target.md', memberClient, { Overwrite: 'F' })),
    412,
  )
  newEvents()
  t.equal(await statusOf(move('/documents/new.md', '/documents/target.md')), 204)
  t.match(newEvents(), [
    { type: 'doc.write', documentId: target },
    { type: 'doc.delete', documentId: source },
  ])
  t.equal((await get('/documents/target.md')).text, '# New\n')
  t.equal(await idOf('/docs/target.md'), target)
  const { status, json } = await move('/documents/target.md', '/documents/bytes.md')
  t.match([status, json.error], [403, /Only its author/], 'only its author may delete it')
})

t.test('a copy is a new document', async (t) => {
  t.equal(await statusOf(transfer('COPY', '/documents/target.md', '/documents/copy.md')), 201)
  t.not(await idOf('/docs/copy.md'), await idOf('/docs/target.md'))
  t.match(await request('GET', `${tree}/docs/copy.md`), { text: /^author: Grace$/m })
  t.equal(await statusOf(transfer('COPY', '/documents/door.md', '/documents/copy.md')), 204)
  t.equal((await get('/documents/copy.md')).text, (await get('/documents/door.md')).text)
})

t.test('a DELETE moves to the trash what the caller may delete', async (t) => {
  await put('/documents/gone.md', '# Gone\n')
  const id = await idOf('/docs/gone.md')
  t.equal(await statusOf(remove('/documents/gone.md', leadClient)), 403)
  t.equal(await statusOf(remove('/documents/gone.md')), 204)
  t.equal(await statusOf(remove('/documents/gone.md')), 404)
  t.match((await readJson('/trash')).trash, [{ id, deletedBy: 'Grace' }])
  t.equal(await statusOf(request('POST', `${tree}/trash/${id}/_restore`)), 201)
  t.equal((await get('/documents/gone.md')).text, '# Gone\n')
})

t.test(
  'an editor that moves or deletes the old file before it saves keeps the document and its id',
  async (t) => {
    await put('/documents/saved.md', 'one')
    const id = await idOf('/docs/saved.md')
    t.equal(await statusOf(move('/documents/saved.md', '/documents/saved.md~')), 201)
    t.equal(await statusOf(put('/documents/saved.md', 'two')), 201)
    t.equal(await idOf('/docs/saved.md'), id)
    await remove('/documents/saved.md')
    await put('/documents/.saved.tmp', 'three')
    t.equal(await statusOf(move('/documents/.saved.tmp', '/documents/saved.md')), 201)
    t.equal(await idOf('/docs/saved.md'), id)
    t.equal((await readJson('/docs/saved.md/_revisions')).revisions.length, 3)
    t.equal(readFileSync(pathOnDisk('documents/saved.md'), 'utf8'), 'three')
    await remove('/documents/saved.md')
    clock.advance(61_000)
    await put('/documents/saved.md', 'four')
    t.not(await idOf('/docs/saved.md'), id, 'a minute later it is another document')
  },
)

t.test('the home page can be changed, and cannot be moved', async (t) => {
  t.equal(await statusOf(put('/README.md', '# Ours\n')), 204)
  t.match((await request('GET', tree)).text, /# Ours\n/)
  t.equal(await statusOf(move('/README.md', '/documents/readme.md', ownerClient)), 403)
})

t.test('an archived project can be read and not written', async (t) => {
  await request('POST', '/v1/fs/projects', { body: { name: 'Old' } })
  await ownerClient.send('PUT', '/projects/old/documents/a.md', { body: 'a' })
  const moved = { Destination: '/dav/projects/general/documents/a.md' }
  t.equal(await statusOf(ownerClient.send('MOVE', '/projects/old/documents/a.md', { headers: moved })), 201)
  t.equal(await statusOf(ownerClient.send('PUT', '/projects/old/documents/a.md', { body: 'b' })), 201)
  await request('PATCH', `/v1/projects/old`, { body: { archived: true } })
  t.equal((await ownerClient.send('GET', '/projects/old/documents/a.md')).text, 'b')
  for (const method of ['PUT', 'DELETE', 'MOVE', 'LOCK']) {
    const headers = { Destination: '/dav/projects/old/documents/b.md' }
    const body =
      method === 'LOCK'
        ? '<x:lockinfo xmlns:x="DAV:"><x:lockscope><x:exclusive/></x:lockscope><x:locktype><x:write/></x:locktype></x:lockinfo>'
        : undefined
    const response = await ownerClient.send(method, '/projects/old/documents/a.md', { headers, body })
    t.match([response.status, response.json?.error], [409, /archived/], method)
  }
})

t.test('a key’s scopes allow the same as in the file tree', async (t) => {
  const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
  const keyOf = async (scopes: string[]) =>
    (await request('POST', `/api/members/${bot.member.id}/keys`, { body: { scopes } })).json.key
  const reader = davClient(workroom, await keyOf(['projects:read', 'documents:read']))
  t.strictSame(await reader.list(davPath), ['README.md', 'documents', 'files'])
  t.equal(await statusOf(get('/documents/bytes.md', reader)), 200)
  for (const path of ['/documents/x.md', '/files/x.txt', '/documents/.x', '/board/02-todo/x.md']) {
    t.match(await put(path, 'x', reader), { status: 403, json: { error: /lacks the scope/ } }, path)
  }
  t.equal(await statusOf(get('/posts/plan.md', reader)), 403)
  t.equal(await statusOf(remove('/documents/bytes.md', reader)), 403)
  const scopes = ['projects:read', 'drafts:read', 'drafts:write']
  const drafter = davClient(workroom, await keyOf(scopes))
  const draft = '---\nscheduledFor: 2099-01-01T00:00:00Z\n---\n# Later\n'
  t.match(await put('/drafts/bot/x.md', draft, drafter), { status: 403, json: { error: /posts:write/ } })
  t.equal(await statusOf(put('/drafts/bot/x.md', '# Later\n', drafter)), 201)
  t.match(await move('/drafts/bot/x.md', '/posts/x.md', drafter), { status: 403, json: { error: /posts:/ } })
  const other = davClient(workroom, await keyOf(['documents:read', 'documents:write']))
  t.match(await get('/documents/bytes.md', other), { status: 403, json: { error: /projects:read/ } })
})

t.test('changing the kind of a file needs a key that may read the old kind', async (t) => {
  await put('/documents/kept.md', '# Kept\n')
  const keyWith = async (...scopes: string[]) =>
    (await workroom.workspace.stores.members.addKey(grace.member.id, { scopes })).key
  const moving = async (...scopes: string[]) => {
    const headers = { Destination: `${workroom.url}/dav${davPath}/drafts/grace/kept.md` }
    const client = davClient(workroom, await keyWith('projects:read', ...scopes))
    return client.send('MOVE', `${davPath}/documents/kept.md`, { headers })
  }
  const writing = ['documents:write', 'drafts:write', 'drafts:read'] as const
  t.match(await moving(...writing), { status: 403, text: /documents:read/ })
  t.equal(await statusOf(get('/documents/kept.md')), 200)
  t.equal((await moving(...writing, 'documents:read')).status, 201)
})
