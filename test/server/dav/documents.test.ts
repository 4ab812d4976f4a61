import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import type { MarkdownService } from '../../../core/markdown/index.ts'
import { type DavClient, davClient, entriesIn } from '../../support/dav-client.ts'
import { eventsOf } from '../../support/event-log.ts'
import type { RequestOptions } from '../../support/http-client.ts'
import { processMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'

const markdownBytes = 20_000
const room = await startWorkroom(t, {
  config: { limits: { ...defaultConfig.limits, markdownBytes, uploadBytes: 200_000 } },
})
const { request, home, clock, owner, workspace } = room
const grace = await room.addMember({ name: 'Grace', type: 'human' }, 'general')
const lead = await room.addMember({ name: 'Lin', type: 'human' })
await workspace.projects.join(workspace.projects.find('general')!, lead.member, 'lead')
const stranger = await room.addMember({ name: 'Eve', type: 'human' })
const tree = '/v1/fs/projects/general'
const top = '/projects/general'
const onDisk = (path: string) => join(home, 'projects/general', path)
const [ada, mate, leader, eve] = [owner, grace, lead, stranger].map(({ key }) => davClient(room, key)) as [
  DavClient,
  DavClient,
  DavClient,
  DavClient,
]

const put = (path: string, body: string | Buffer = '# Some text\n', client = mate, headers = {}) =>
  client.send('PUT', top + path, { body, headers })
const get = (path: string, client = mate, headers = {}) => client.send('GET', top + path, { headers })
const remove = (path: string, client = mate) => client.send('DELETE', top + path)
const transfer = (method: 'MOVE' | 'COPY', from: string, to: string, client = mate, headers = {}) =>
  client.send(method, top + from, { headers: { Destination: `/dav${encodeURI(top + to)}`, ...headers } })
const move = (from: string, to: string, client = mate, headers = {}) =>
  transfer('MOVE', from, to, client, headers)
const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status
/** The id of a document, from the file tree. */
const idOf = async (path: string, key = grace.key) =>
  /^id: (\S+)$/m.exec((await request('GET', tree + path, { key })).text)?.[1]
const tell = async (path: string, key = grace.key) => (await request('GET', tree + path, { key })).json
/** What was logged since the last time that this was asked. */
let told = 0
const news = () => {
  const events = eventsOf(home)
  const fresh = events.slice(told)
  told = events.length
  return fresh.map(({ type, actorId, documentId, detail: { path, previousPath } }) => ({
    type,
    actorId,
    documentId,
    path: path.replace(`${tree}/`, ''),
    ...(previousPath && { previousPath: previousPath.replace(`${tree}/`, '') }),
  }))
}

t.test('the tree is that of the disk, as far as the caller may see it', async (t) => {
  await put('/documents/guides.md')
  t.strictSame(await mate.list('/'), ['projects'])
  t.strictSame(await mate.list('/projects/'), ['general'])
  t.strictSame(await mate.list(top), ['README.md', 'posts', 'drafts', 'documents', 'board', 'files'])
  t.strictSame(await mate.list(`${top}/board`), ['01-triage', '02-todo', '03-in-progress', '04-done'])
  t.strictSame(await mate.list(`${top}/drafts`), ['grace'])
  t.strictSame(await eve.list('/projects'), [])
  t.match(await eve.send('PROPFIND', top, { headers: { Depth: '1' } }), { status: 403 })
  t.equal(await statusOf(eve.send('GET', `${top}/documents/guides.md`)), 403)
  t.equal(await statusOf(mate.send('GET', '/projects/nowhere/')), 404)
  t.equal((await get('/')).text, 'README.md\nposts/\ndrafts/\ndocuments/\nboard/\nfiles/\n')
})

t.test('a file is sent as it lies on the disk, and its length and tag are those of its bytes', async (t) => {
  const text = '---\ntags: [a]\n---\n\r\n# Ünder @Ada\r\n\r\nno end'
  const { status, headers } = await put('/documents/bytes.md', text)
  t.equal(status, 201)
  t.equal(readFileSync(onDisk('documents/bytes.md'), 'utf8'), text)
  const read = await get('/documents/bytes.md')
  t.strictSame([read.text, read.headers.etag], [text, headers.etag])
  const [entry] = await mate.find(`${top}/documents/bytes.md`, '0')
  const length = String(Buffer.byteLength(text))
  t.match(entry!.properties, {
    getcontentlength: length,
    getetag: headers.etag,
    getcontenttype: 'text/markdown; charset=utf-8',
    getlastmodified: read.headers['last-modified'],
    displayname: 'bytes.md',
  })
  const head = await mate.send('HEAD', `${top}/documents/bytes.md`)
  t.strictSame([head.status, head.headers['content-length'], head.text], [200, length, ''])
  t.match(await get('/documents/bytes.md', mate, { Range: 'bytes=4-7' }), { status: 206, text: 'tags' })
  t.equal(await statusOf(get('/documents/bytes.md', mate, { 'If-None-Match': headers.etag })), 304)
  t.match((await request('GET', `${tree}/docs/bytes.md`)).text, /^authorId: .*\n[\s\S]*^tags: \[a\]/m)
})

t.test(
  'a write is the caller’s, through the one door: one event, one revision, links and words',
  async (t) => {
    news()
    await put('/documents/door.md', '---\nid: doc_x\nauthor: Ada\n---\nSee [[bytes]] @Grace\n')
    const id = (await idOf('/docs/door.md'))!
    t.not(id, 'doc_x')
    const path = 'library/documents/door.md'
    t.strictSame(news(), [{ type: 'doc.write', actorId: grace.member.id, documentId: id, path }])
    t.equal(
      await statusOf(put('/documents/door.md', '---\nid: doc_x\nauthor: Ada\n---\nSee [[bytes]] @Grace\n')),
      204,
    )
    t.strictSame(news(), [], 'the same bytes are no change')
    t.equal(await statusOf(put('/documents/door.md', 'Zebras see [[n:x]]\n', ada)), 204)
    t.match(news(), [{ documentId: id, actorId: owner.member.id }])
    const { revisions } = await tell('/docs/door.md/_revisions')
    t.match(revisions, [
      { author: 'Ada', via: 'api' },
      { author: 'Grace', via: 'api' },
    ])
    t.match((await request('GET', '/v1/search?q=zebras')).json.results, [{ id, title: 'door' }])
  },
)

t.test('what was saved on the disk a moment ago is a revision of its own below the write', async (t) => {
  await put('/documents/settled.md', 'one')
  writeFileSync(onDisk('documents/settled.md'), 'by hand')
  await put('/documents/settled.md', 'over it')
  t.equal(readFileSync(onDisk('documents/settled.md'), 'utf8'), 'over it')
  const { revisions } = await tell('/docs/settled.md/_revisions')
  t.strictSame(
    revisions.map(({ via }: { via: string }) => via),
    ['api', 'disk', 'api'],
  )
  writeFileSync(onDisk('documents/by-hand.md'), 'quite new')
  t.ok((await mate.list(`${top}/documents`)).includes('by-hand.md'))
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
    [{ If: '(["x"]' }, 400],
    [{ 'If-Match': `"0000", W/${etag}` }, 204],
    [{ If: `(["0000"]) ([${etag}])` }, 204],
    [{ If: `</dav${top}/documents/bytes.md> (Not ["x"])` }, 204],
    [{ If: '<http://elsewhere/dav/x> (["x"])' }, 412],
  ]
  for (const [headers, status] of cases) {
    t.equal(
      await statusOf(put('/documents/conditions.md', 'one', mate, headers)),
      status,
      JSON.stringify(headers),
    )
  }
  t.equal(await statusOf(put('/documents/missing.md', 'one', mate, { 'If-Match': '*' })), 412)
  t.equal(
    await statusOf(mate.send('DELETE', `${top}/documents/conditions.md`, { headers: { 'If-Match': '"x"' } })),
    412,
  )
  const moved = await move('/documents/conditions.md', '/documents/moved.md', mate, { 'If-Match': '"x"' })
  t.equal(moved.status, 412)
  t.equal((await get('/documents/conditions.md')).text, 'one')
})

t.test('what cannot be a file is refused in words, and leaves nothing', async (t) => {
  const long = Buffer.alloc(markdownBytes + 1, 'x')
  const cases: [path: string, body: string | Buffer, status: number, message: RegExp][] = [
    ['/documents/long.md', long, 413, /at most 20000 bytes/],
    ['/documents/latin.md', Buffer.from([0xe9]), 422, /UTF-8/],
    ['/documents/zero.md', 'a\0b', 422, /NUL/],
    ['/documents/CON.md', 'x', 422, /device/],
    ['/documents/a:b.md', 'x', 422, /character :/],
    [`/documents/${'x'.repeat(201)}.md`, 'x', 422, /longer than 200/],
    ['/documents/no/such.md', 'x', 409, /no folder .*Make it first/],
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
    const answer = await put(path, body)
    t.match([answer.status, answer.json.error], [status, message], path)
  }
  t.equal(await statusOf(put('/documents/part.md', 'x', mate, { 'Content-Range': 'bytes 0-0/2' })), 400)
  symlinkSync('/etc/hostname', onDisk('documents/link.md'))
  t.equal(await statusOf(put('/documents/link.md', 'x')), 409)
  t.equal(await statusOf(get('/documents/link.md')), 404)
  t.notOk(
    (await mate.list(`${top}/documents`)).some((name) => /^(?:long|latin|zero|CON|part|link)/.test(name)),
  )
})

t.test('a post is published by its file, begun empty or not, and closed from then on', async (t) => {
  t.equal(await statusOf(put('/posts/hello.md', '')), 201)
  t.strictSame(await mate.list(`${top}/posts`), ['hello.md'], 'what has begun is shown to who began it')
  t.strictSame(await ada.list(`${top}/posts`), [])
  t.equal(await statusOf(put('/posts/hello.md', `# Hello @[Ada](${owner.member.id})\n`)), 204)
  t.strictSame(await ada.list(`${top}/posts`), ['hello.md'])
  t.match((await request('GET', '/v1/fs/inbox/mentions.md')).text, /Hello/)
  for (const [client, status] of [
    [mate, 409],
    [ada, 403],
  ] as const) {
    t.equal(await statusOf(put('/posts/hello.md', 'changed', client)), status)
    t.equal(await statusOf(move('/posts/hello.md', '/posts/other.md', client)), status)
    t.equal(await statusOf(move('/posts/hello.md', '/files/hello.txt', client)), status)
  }
  t.equal(await statusOf(transfer('COPY', '/posts/hello.md', '/drafts/grace/again.md')), 201)
  t.equal(await statusOf(remove('/posts/hello.md', leader)), 403)
  t.equal(await statusOf(remove('/posts/hello.md')), 204)
})

t.test('a draft is its author’s alone, and published by moving it: once, with its id', async (t) => {
  await put('/drafts/grace/plan.md', '# Plan\n')
  const id = await idOf('/drafts/plan.md')
  for (const client of [ada, leader]) {
    t.equal(await statusOf(get('/drafts/grace/plan.md', client)), 404)
    t.equal(await statusOf(client.send('PROPFIND', `${top}/drafts/grace`, { headers: { Depth: '1' } })), 404)
    t.equal(await statusOf(put('/drafts/grace/plan.md', 'mine', client)), 409)
    t.equal(await statusOf(move('/drafts/grace/plan.md', '/documents/plan.md', client)), 404)
  }
  news()
  t.equal(await statusOf(move('/drafts/grace/plan.md', '/posts/plan.md')), 201)
  t.match(news(), [{ documentId: id, path: 'posts/plan.md', previousPath: 'drafts/plan.md' }])
  t.equal(await idOf('/posts/plan.md'), id)
  const { status, json } = await put('/drafts/grace/later.md', '---\nscheduledFor: soon\n---\n# Later\n')
  t.match([status, json.error], [422, /scheduledFor/])
})

t.test('a document becomes a post or a draft by its author alone', async (t) => {
  await put('/documents/mine.md', '# Mine\n')
  for (const folder of ['posts', 'drafts/ada']) {
    const { status, json } = await move('/documents/mine.md', `/${folder}/mine.md`, ada)
    t.match([status, json.error], [403, /Only its author/])
  }
  t.equal(await statusOf(move('/documents/mine.md', '/drafts/grace/mine.md')), 201)
  t.equal(await statusOf(get('/documents/mine.md', ada)), 404)
})

t.test('a card is made, moved over the board and closed by its file', async (t) => {
  t.equal(await statusOf(put('/board/02-todo/0007-task.md', '---\npriority: high\n---\n# Task\n')), 201)
  const [card] = (await tell('/board/todo')).cards
  t.match(card, { number: 7, filename: '0007-task.md', priority: 'high', status: 'active' })
  t.equal(await statusOf(move('/board/02-todo/0007-task.md', '/board/04-done/0007-task.md')), 201)
  t.match((await tell('/board/done')).cards, [{ id: card.id, number: 7, status: 'closed' }])
  const { status, json } = await put('/board/02-todo/bad.md', '---\npriority: huge\n---\n# Bad\n')
  t.match([status, json.error], [422, /priority/])
  await put('/documents/bad.md', '---\npriority: huge\n---\n# Bad\n')
  t.equal(await statusOf(move('/documents/bad.md', '/board/01-triage/bad.md')), 422)
})

t.test('a document keeps its id wherever it is moved, and its old name answers', async (t) => {
  await put('/documents/name.md', '# Name\n')
  const id = await idOf('/docs/name.md')
  t.equal(await statusOf(mate.send('MKCOL', `${top}/documents/sub`)), 201)
  news()
  t.equal(await statusOf(move('/documents/name.md', '/documents/sub/other.md')), 201)
  t.match(news(), [
    { documentId: id, path: 'library/documents/sub/other.md', previousPath: 'library/documents/name.md' },
  ])
  t.equal(await idOf('/docs/sub/other.md'), id)
  t.equal(await idOf('/docs/name.md'), id)
  t.equal(await statusOf(get('/documents/name.md')), 404)
  t.equal(await statusOf(move('/documents/sub/other.md', '/documents/sub/Other.md')), 201)
  t.strictSame(await mate.list(`${top}/documents/sub`), ['Other.md'])
  t.equal(await idOf('/docs/sub/Other.md'), id)
  t.equal((await get('/documents/sub/OTHER.md')).text, '# Name\n', 'case does not count')
  t.equal(await statusOf(move('/documents/sub', '/documents/folder')), 201)
  t.equal(await idOf('/docs/folder/Other.md'), id)
  t.notOk(existsSync(onDisk('documents/sub')))
})

t.test('over another file its bytes become that one’s, and it is gone', async (t) => {
  await put('/documents/target.md', '# Old\n', ada)
  await put('/documents/new.md', '# New\n')
  const [target, source] = [await idOf('/docs/target.md'), await idOf('/docs/new.md')]
  t.equal(await statusOf(move('/documents/new.md', '/documents/target.md', mate, { Overwrite: 'F' })), 412)
  news()
  t.equal(await statusOf(move('/documents/new.md', '/documents/target.md')), 204)
  t.match(news(), [
    { type: 'doc.write', documentId: target },
    { type: 'doc.delete', documentId: source },
  ])
  t.equal((await get('/documents/target.md')).text, '# New\n')
  t.equal(await idOf('/docs/target.md'), target)
  const { status, json } = await move('/documents/target.md', '/documents/bytes.md')
  t.match([status, json.error], [403, /Only its author/], 'it is not theirs to take away')
})

t.test('a copy is a new document', async (t) => {
  t.equal(await statusOf(transfer('COPY', '/documents/target.md', '/documents/copy.md')), 201)
  t.not(await idOf('/docs/copy.md'), await idOf('/docs/target.md'))
  t.match(await request('GET', `${tree}/docs/copy.md`), { text: /^author: Grace$/m })
  t.equal(await statusOf(transfer('COPY', '/documents/door.md', '/documents/copy.md')), 204)
  t.equal((await get('/documents/copy.md')).text, (await get('/documents/door.md')).text)
})

t.test('deleting takes to the trash what is the caller’s to delete', async (t) => {
  await put('/documents/gone.md', '# Gone\n')
  const id = await idOf('/docs/gone.md')
  t.equal(await statusOf(remove('/documents/gone.md', leader)), 403)
  t.equal(await statusOf(remove('/documents/gone.md')), 204)
  t.equal(await statusOf(remove('/documents/gone.md')), 404)
  t.match((await tell('/trash')).trash, [{ id, deletedBy: 'Grace' }])
  t.equal(await statusOf(request('POST', `${tree}/trash/${id}/_restore`)), 201)
  t.equal((await get('/documents/gone.md')).text, '# Gone\n')
})

t.test(
  'an editor that moves the old file away, or deletes it, and saves anew saves the same document',
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
    t.equal((await tell('/docs/saved.md/_revisions')).revisions.length, 3)
    t.equal(readFileSync(onDisk('documents/saved.md'), 'utf8'), 'three')
    await remove('/documents/saved.md')
    clock.advance(61_000)
    await put('/documents/saved.md', 'four')
    t.not(await idOf('/docs/saved.md'), id, 'later it is another')
  },
)

t.test('the home page is changed, and stays where it is', async (t) => {
  t.equal(await statusOf(put('/README.md', '# Ours\n')), 204)
  t.match((await request('GET', tree)).text, /# Ours\n/)
  t.equal(await statusOf(move('/README.md', '/documents/readme.md', ada)), 403)
})

t.test('in an archived project everything is read and nothing written', async (t) => {
  await request('POST', '/v1/fs/projects', { body: { name: 'Old' } })
  await ada.send('PUT', '/projects/old/documents/a.md', { body: 'a' })
  const moved = { Destination: '/dav/projects/general/documents/a.md' }
  t.equal(await statusOf(ada.send('MOVE', '/projects/old/documents/a.md', { headers: moved })), 201)
  t.equal(await statusOf(ada.send('PUT', '/projects/old/documents/a.md', { body: 'b' })), 201)
  await request('PATCH', `/v1/projects/old`, { body: { archived: true } })
  t.equal((await ada.send('GET', '/projects/old/documents/a.md')).text, 'b')
  for (const method of ['PUT', 'DELETE', 'MOVE', 'LOCK']) {
    const headers = { Destination: '/dav/projects/old/documents/b.md' }
    const body =
      method === 'LOCK'
        ? '<x:lockinfo xmlns:x="DAV:"><x:lockscope><x:exclusive/></x:lockscope><x:locktype><x:write/></x:locktype></x:lockinfo>'
        : undefined
    const answer = await ada.send(method, '/projects/old/documents/a.md', { headers, body })
    t.match([answer.status, answer.json?.error], [409, /archived/], method)
  }
})

t.test('a key’s scopes open what they open in the file tree', async (t) => {
  const bot = await room.addMember({ name: 'Bot', type: 'agent' }, 'general')
  const keyOf = async (scopes: string[]) =>
    (await request('POST', `/api/members/${bot.member.id}/keys`, { body: { scopes } })).json.key
  const reader = davClient(room, await keyOf(['projects:read', 'documents:read']))
  t.strictSame(await reader.list(top), ['README.md', 'documents', 'files'])
  t.equal(await statusOf(get('/documents/bytes.md', reader)), 200)
  for (const path of ['/documents/x.md', '/files/x.txt', '/documents/.x', '/board/02-todo/x.md']) {
    t.match(await put(path, 'x', reader), { status: 403, json: { error: /lacks the scope/ } }, path)
  }
  t.equal(await statusOf(get('/posts/plan.md', reader)), 403)
  t.equal(await statusOf(remove('/documents/bytes.md', reader)), 403)
  const scopes = ['projects:read', 'drafts:read', 'drafts:write']
  const drafter = davClient(room, await keyOf(scopes))
  const draft = '---\nscheduledFor: 2099-01-01\n---\n# Later\n'
  t.match(await put('/drafts/bot/x.md', draft, drafter), { status: 403, json: { error: /posts:write/ } })
  t.equal(await statusOf(put('/drafts/bot/x.md', '# Later\n', drafter)), 201)
  t.match(await move('/drafts/bot/x.md', '/posts/x.md', drafter), { status: 403, json: { error: /posts:/ } })
  const other = davClient(room, await keyOf(['documents:read', 'documents:write']))
  t.match(await get('/documents/bytes.md', other), { status: 403, json: { error: /projects:read/ } })
})

t.test('files that are no documents stream in and out, in folders of their own', async (t) => {
  const bytes = Buffer.alloc(150_000, 'abc')
  t.equal(await statusOf(mate.send('MKCOL', `${top}/files/pictures`)), 201)
  const { status, headers } = await put('/files/pictures/a.png', bytes)
  t.equal(status, 201)
  const read = await get('/files/pictures/a.png', mate, { Range: 'bytes=3-5' })
  t.strictSame([read.status, read.text, read.headers['content-type']], [206, 'abc', 'image/png'])
  t.equal(headers.etag, (await mate.find(`${top}/files/pictures/a.png`, '0'))[0]!.properties.getetag)
  t.match((await tell('/library/files')).files, [{ name: 'pictures/a.png', size: 150_000 }])
  t.match(await put('/files/long.bin', Buffer.alloc(200_001)), { status: 413 })
  t.equal(await statusOf(put('/documents/picture.png', bytes)), 201)
  t.ok((await mate.list(`${top}/documents`)).includes('picture.png'))
  t.notOk(JSON.stringify(await tell('/docs')).includes('picture'))
})

t.test('who replaces such a file does not destroy it, and deleting it takes the right to', async (t) => {
  await put('/files/sheet.ods', 'one')
  t.equal(await statusOf(put('/files/sheet.ods', 'two', mate, { 'If-Match': '"x"' })), 412)
  t.equal(await statusOf(put('/files/sheet.ods', 'two')), 204)
  await put('/files/new.ods', 'three')
  t.equal(await statusOf(move('/files/new.ods', '/files/sheet.ods', mate, { Overwrite: 'F' })), 412)
  t.equal(await statusOf(move('/files/new.ods', '/files/sheet.ods')), 204)
  t.equal((await get('/files/sheet.ods')).text, 'three')
  const kept = join(home, 'trash/general/files')
  t.strictSame(
    readdirSync(kept)
      .map((name) => readFileSync(join(kept, name), 'utf8'))
      .sort(),
    ['one', 'two'],
  )
  t.equal(await statusOf(remove('/files/sheet.ods')), 403)
  t.equal(await statusOf(move('/files/sheet.ods', '/files/.sheet.ods')), 403)
  t.equal(await statusOf(move('/files/sheet.ods', '/files/Sheet.ods')), 201)
  t.equal(await statusOf(remove('/files/Sheet.ods', leader)), 204)
  clock.advance(31 * 24 * 3_600_000)
  await put('/files/pictures/a.png', 'smaller')
  t.equal(readdirSync(kept).length, 1, 'after 30 days it goes')
})

t.test('a file becomes a document, or a document a file, by its name', async (t) => {
  await put('/files/note.txt', '# Note\n')
  t.equal(await statusOf(move('/files/note.txt', '/documents/note.md')), 201)
  t.match(await request('GET', `${tree}/docs/note.md`), { text: /^author: Grace$/m })
  t.equal(await statusOf(get('/files/note.txt')), 404)
  t.equal(await statusOf(move('/documents/note.md', '/documents/note.txt')), 201)
  t.match((await tell('/trash')).trash[0], { title: 'Note' })
  t.equal((await get('/documents/note.txt')).text, '# Note\n')
  await put('/files/large.txt', Buffer.alloc(markdownBytes + 1))
  t.equal(await statusOf(transfer('COPY', '/files/large.txt', '/documents/large.md')), 413)
})

t.test('what is attached and what is published as a skill is shown, and changed by other ways', async (t) => {
  const { id } = (await request('PUT', `${tree}/posts/p.md`, { body: '# Pictured\n', key: grace.key })).json
  const attach = `${tree}/posts/${id}/attachments?name=a.txt`
  await request('POST', attach, {
    body: 'attached',
    key: grace.key,
    headers: { 'Content-Type': 'text/plain' },
  })
  mkdirSync(onDisk('skills/review'), { recursive: true })
  writeFileSync(onDisk('skills/review/SKILL.md'), 'how to')
  t.strictSame((await mate.list(top)).slice(-2), ['attachments', 'skills'])
  t.strictSame(await mate.list(`${top}/attachments`), [id])
  t.strictSame(await mate.list(`${top}/attachments/${id}`), ['a.txt'])
  t.equal((await get(`/attachments/${id}/a.txt`)).text, 'attached')
  t.strictSame(await mate.list(`${top}/skills/review`), ['SKILL.md'])
  t.equal((await get('/skills/review/SKILL.md')).text, 'how to')
  for (const path of [
    `/attachments/${id}/a.txt`,
    '/skills/review/SKILL.md',
    `/skills/review`,
    '/attachments',
  ]) {
    t.match(await remove(path, ada), { status: 403, json: { error: /Attach files|Publish skills/ } }, path)
  }
  t.equal(await statusOf(put('/skills/review/x.md', 'x')), 403)
})

t.test(
  'a folder is moved, copied and deleted with what is in it, and as a whole or not at all',
  async (t) => {
    for (const folder of ['a', 'a/b']) await mate.send('MKCOL', `${top}/documents/${folder}`)
    await put('/documents/a/one.md', 'one')
    await put('/documents/a/b/two.md', 'two')
    await put('/documents/a/b/picture.png', 'three')
    t.equal(await statusOf(transfer('COPY', '/documents/a', '/documents/c')), 201)
    t.strictSame(await mate.list(`${top}/documents/c/b`), ['picture.png', 'two.md'])
    t.equal(await statusOf(transfer('COPY', '/documents/a', '/documents/flat', mate, { Depth: '0' })), 201)
    t.strictSame(await mate.list(`${top}/documents/flat`), [])
    t.equal(await statusOf(move('/documents/a', '/documents/a/b/c')), 403)
    t.equal(await statusOf(move('/documents/flat', '/documents/no/such')), 409)
    t.equal(await statusOf(mate.send('DELETE', `${top}/documents/c`, { headers: { Depth: '0' } })), 400)
    const failed = await remove('/documents/c')
    t.equal(failed.status, 207)
    t.match(entriesIn(failed), [{ path: `/dav${top}/documents/c/b/picture.png`, status: 403 }])
    t.equal(await statusOf(remove('/documents/c', leader)), 204)
    mkdirSync(onDisk('documents/a/.git'))
    t.match(await move('/documents/a', '/documents/d'), { status: 409, json: { error: /\.git/ } })
    t.match(await remove('/documents/a', ada), { status: 409 })
    renameSync(onDisk('documents/a/.git'), onDisk('documents/.git'))
    t.equal(await statusOf(move('/documents/a', '/documents/flat', ada)), 204)
    t.strictSame(await mate.list(`${top}/documents/flat`), ['b', 'one.md'])
    t.notOk(existsSync(onDisk('documents/a')))
  },
)

t.test('folders that every project has are nobody’s to make, move or delete', async (t) => {
  for (const path of ['', '/posts', '/drafts/grace', '/board', '/board/01-triage', '/files']) {
    t.equal(await statusOf(remove(path, ada)), path === '/drafts/grace' ? 404 : 403, path)
    t.equal(await statusOf(move(path, '/documents/x', ada)), path === '/drafts/grace' ? 404 : 403, path)
  }
  for (const [path, status] of Object.entries({
    '/posts/x': 403,
    '/board/05-later': 403,
    '/x': 403,
    '/files': 405,
    '/documents/a/b': 409,
  })) {
    t.equal(await statusOf(mate.send('MKCOL', top + path)), status, path)
  }
  t.equal(await statusOf(ada.send('MKCOL', '/projects/new')), 403)
  t.equal(await statusOf(ada.send('DELETE', '/projects')), 403)
  t.equal(await statusOf(mate.send('MKCOL', `${top}/documents/x`, { body: 'x' })), 415)
})

t.test('what is refused has taken nothing away from where it was to lie', async (t) => {
  await ada.send('MKCOL', `${top}/files/kept`)
  await put('/files/kept/only.bin', 'the only one', ada)
  await put('/board/01-triage/kept.md', '# Kept\n', ada)
  await put('/posts/fixed.md', '# Fixed\n', ada)
  t.equal(await statusOf(move('/posts/fixed.md', '/files/kept', ada)), 409, 'a post stays a post')
  t.equal(await statusOf(transfer('COPY', '/files/kept', '/board/01-triage/kept.md', ada)), 403)
  t.equal((await get('/files/kept/only.bin', ada)).text, 'the only one')
  t.equal((await get('/board/01-triage/kept.md', ada)).text, '# Kept\n')
})

t.test('what is written to a file while it becomes a document is not lost with the file', async (t) => {
  let whileParsing = () => {}
  const markdown: MarkdownService = {
    ...processMarkdown(),
    analyse(request, priority) {
      whileParsing()
      return processMarkdown().analyse(request, priority)
    },
  }
  const apart = await startWorkroom(t, { faults: { markdown } })
  const client = davClient(apart, apart.owner.key)
  const source = `${top}/files/notes.md`
  await client.send('PUT', source, { body: '# Notes\n' })
  whileParsing = () => {
    whileParsing = () => {}
    writeFileSync(join(apart.home, 'projects/general/files/notes.md'), '# Notes, and more of them\n')
  }
  const headers = { Destination: `/dav${top}/documents/notes.md` }
  t.equal(await statusOf(client.send('MOVE', source, { headers })), 412)
  t.equal((await client.send('GET', source)).text, '# Notes, and more of them\n')
})

t.test('a folder is not replaced by what lies in it, however its name is spelled', async (t) => {
  await ada.send('MKCOL', `${top}/files/Case`)
  await put('/files/Case/only.bin', 'the only one', ada)
  for (const method of ['MOVE', 'COPY'] as const) {
    t.equal(await statusOf(transfer(method, '/files/Case/only.bin', '/files/case', ada)), 403, method)
    t.equal(await statusOf(transfer(method, '/files/Case', '/files/case/within', ada)), 403, method)
  }
  t.equal((await get('/files/Case/only.bin', ada)).text, 'the only one')
})

t.test(
  'temporaries of programs are kept for who wrote them, for an hour, and are never documents',
  async (t) => {
    for (const name of ['._notes.md', '.DS_Store', 'Thumbs.db', '~$plan.docx', '.~lock.plan.odt#', 'x.md~']) {
      t.equal(await statusOf(put(`/documents/${encodeURIComponent(name)}`, name)), 201, name)
      t.equal((await get(`/documents/${encodeURIComponent(name)}`)).text, name)
      t.equal(await statusOf(get(`/documents/${encodeURIComponent(name)}`, ada)), 404)
      t.notOk(existsSync(onDisk(`documents/${name}`)), name)
    }
    t.ok((await mate.list(`${top}/documents`)).includes('._notes.md'))
    t.notOk((await ada.list(`${top}/documents`)).includes('._notes.md'))
    t.equal(await statusOf(mate.send('MKCOL', `${top}/.TemporaryItems`)), 201)
    t.equal(await statusOf(put('/.TemporaryItems/safe.md', '# Safe\n')), 201)
    t.equal(await statusOf(move('/.TemporaryItems/safe.md', '/documents/safe.md')), 201)
    t.equal(readFileSync(onDisk('documents/safe.md'), 'utf8'), '# Safe\n')
    t.equal(await statusOf(remove('/.TemporaryItems')), 204)
    t.equal(await statusOf(remove('/documents/.DS_Store')), 204)
    t.equal(await statusOf(put('/documents/.again', 'x', mate, { 'If-Match': '"x"' })), 412)
    clock.advance(3_600_001)
    await room.eventually(async () => (await get('/documents/._notes.md')).status === 404)
  },
)
