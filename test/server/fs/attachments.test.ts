import { existsSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { eventsOf } from '../../support/event-log.ts'
import { stagedFiles } from '../../support/home-state.ts'
import { uploadForm } from '../../support/upload-form.ts'
import { openAttachmentProject, type Written } from './attachment-project.ts'

const disk = breakableDisk()
const { workroom, project, grace, write, attach, listOf, folderOf, filesOf, checkNothing } =
  await openAttachmentProject(t, { faults: { tree: { fs: disk.fs } } })
const { request, clock, owner, home } = workroom
const admin = await workroom.addMember({ name: 'Linus', type: 'human', role: 'admin' }, 'general')
const stranger = await workroom.addMember({ name: 'Eve', type: 'human' })
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')

t.test(
  'a file sent as a form or as raw bytes is part of the post, the list of attachments and the folder',
  async (t) => {
    const post = await write()
    const picture = new Uint8Array([0x89, 0x50, 0, 0xff])
    const form = await uploadForm(['file', picture, 'Größe 1.png', 'image/png'])
    const sent = await request('POST', `${post.path}/attachments`, { key: grace.key, ...form })
    t.match(sent, { status: 201, json: { id: /^att_[0-9a-z]{26}$/ } })
    t.strictSame(Object.keys(sent.json), ['id', 'name', 'type', 'size'])
    t.match(sent.json, { name: 'Größe 1.png', type: 'image/png', size: 4 })
    const raw = (await attach(post, 'notes.md', '# Notes\n')).json
    t.match(raw, { name: 'notes.md', type: 'text/markdown', size: 8 })
    const renamed = await uploadForm(['file', 'x', 'other.bin'])
    t.match((await attach(post, 'empty.csv', '')).json, { type: 'text/csv', size: 0 })
    t.match((await attach(post, 'named.txt', '', renamed)).json, { name: 'named.txt', size: 1 })

    const list = await listOf(post, bot.key)
    const at = ({ id }: { id: string }) => `${post.path}/attachments/${id}`
    const rows = [sent.json, raw].map((file) => ({ ...file, path: at(file) }))
    t.strictSame(list.slice(0, 2), rows, 'any member reads them, oldest first')
    const { text } = await request('GET', post.path)
    const files = list.map(({ path: _, ...file }: { path: string }) => file)
    t.ok(text.includes(`\nattachments: ${JSON.stringify(files)}\n`), 'a JSON array on one line')
    t.strictSame(filesOf(post).sort(), ['Größe 1.png', 'empty.csv', 'named.txt', 'notes.md'].sort())

    const got = await fetch(`${workroom.url}${post.path}/attachments/${sent.json.id}`, {
      headers: { Authorization: `Bearer ${bot.key}` },
    })
    t.strictSame(new Uint8Array(await got.arrayBuffer()), picture)
    t.equal(got.headers.get('content-type'), 'image/png')
  },
)

t.test(
  'the type of an attachment follows its name, or else the declared type if there is such a type',
  async (t) => {
    const post = await write()
    for (const [name, claimed, type] of [
      ['a.pdf', 'image/png', 'application/pdf'],
      ['photo', 'image/jpeg; q=1', 'image/jpeg'],
      ['data', 'application/x-www-form-urlencoded', 'application/octet-stream'],
      ['strange', 'made/up', 'application/octet-stream'],
      ['talkative', 'text/plain and more', 'application/octet-stream'],
    ] as const) {
      t.equal((await attach(post, name, 'x', { headers: { 'Content-Type': claimed } })).json.type, type, name)
    }
    const form = await uploadForm(['file', 'x', 'snow'])
    const snowy = Buffer.from(form.body as Uint8Array)
      .toString()
      .replace('octet-stream', 'json \u2603')
    const { id } = (await attach(post, 'snow', '', { ...form, body: snowy })).json
    const { status, headers } = await request('GET', `${post.path}/attachments/${id}`)
    t.match([status, headers['content-type']], [200, 'application/octet-stream'], 'no valid header')
  },
)

t.test('a name that is taken, also in another case, gets a number as its suffix', async (t) => {
  const post = await write()
  const names = []
  for (const name of ['a.tar.gz', 'a.tar.gz', 'A.TAR.gz']) names.push((await attach(post, name)).json.name)
  t.strictSame(names, ['a.tar.gz', 'a.tar-2.gz', 'A.TAR-3.gz'])
  const together = await Promise.all(['same', 'same', 'same'].map((name) => attach(post, name)))
  t.strictSame(together.map(({ json }) => json.name).sort(), ['same', 'same-2', 'same-3'])
  t.equal((await listOf(post)).length, 6)
})

t.test('the name of an attachment whose file is missing on the disk is not given again', async (t) => {
  const post = await write()
  const { id } = (await attach(post, 'a.txt', 'first')).json
  rmSync(join(folderOf(post), 'a.txt'))
  t.equal((await attach(post, 'A.txt', 'second')).json.name, 'A-2.txt')
  t.equal((await request('GET', `${post.path}/attachments/${id}`)).status, 404)
})

t.test('nothing that a member uploads runs in the browser of another', async (t) => {
  const post = await write()
  for (const [name, type, disposition] of [
    ['page.html', 'text/html; charset=utf-8', 'attachment; filename="page.html"'],
    ['image.svg', 'image/svg+xml', 'attachment; filename="image.svg"'],
    ['data.xml', 'application/xml', 'attachment; filename="data.xml"'],
    ['code.js', 'text/javascript; charset=utf-8', 'attachment; filename="code.js"'],
    ['a.png', 'image/png', 'inline; filename="a.png"'],
    ['plain.txt', 'text/plain; charset=utf-8', 'inline; filename="plain.txt"'],
    [
      '日本"x.bin',
      'application/octet-stream',
      /^attachment; filename="[^"]*"; filename\*=UTF-8''%E6%97%A5%E6%9C%AC/,
    ],
  ] as const) {
    const sentName = name.replace('"', "'")
    const { json } = await attach(post, sentName, '<script>alert(1)</script>')
    const { status, headers } = await request('GET', `${post.path}/attachments/${json.id}`)
    t.match([status, headers['content-type'], headers['content-disposition']], [200, type, disposition])
    t.match(headers, {
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
    })
  }
})

t.test('a part of a file, its headers alone, or only a newer version can be requested', async (t) => {
  const post = await write()
  const { id } = (await attach(post, 'digits.txt', '0123456789')).json
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    request(method, `${post.path}/attachments/${id}`, { headers })
  const whole = await get()
  t.match(whole, {
    status: 200,
    text: '0123456789',
    headers: { 'accept-ranges': 'bytes', 'content-length': '10' },
  })
  const etag = whole.headers.etag!
  const lastModified = whole.headers['last-modified']!
  for (const [range, status, text, contentRange] of [
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
    ['nonsense', 200, '0123456789', undefined],
    ['bytes=10-', 416, null, 'bytes */10'],
  ] as const) {
    const response = await get({ Range: range })
    t.match([response.status, response.headers['content-range']], [status, contentRange], range)
    if (text === null)
      t.match(response.json, { error: 'bad_request', message: /10 bytes/, requestId: String })
    else t.strictSame([response.text, response.headers['content-length']], [text, String(text.length)])
  }
  const since = (condition: string) => get({ Range: 'bytes=2-4', 'If-Range': condition })
  t.match([(await since(lastModified)).status, (await since(new Date(0).toUTCString())).status], [206, 200])
  t.equal((await since('"other"')).status, 200)
  t.equal((await get({ 'If-None-Match': `"x", ${etag}` })).status, 304)
  t.equal((await get({ 'If-None-Match': '"x"' })).status, 200)
  t.equal((await get({ 'If-Modified-Since': lastModified })).status, 304)
  const head = await get({ Range: 'bytes=0-1' }, 'HEAD')
  t.match(head, { status: 200, text: '', headers: { 'content-length': '10', etag } })
  const empty = (await attach(post, 'empty', '')).json.id
  t.match(await request('GET', `${post.path}/attachments/${empty}`), {
    status: 200,
    headers: { 'content-length': '0' },
  })
})

t.test('only the author attaches, members read, and a draft’s files are its author’s alone', async (t) => {
  const post = await write()
  const draft = await write('drafts')
  const onPost = (await attach(post, 'a.txt')).json.id
  const onDraft = (await attach(draft, 'a.txt')).json.id
  const reader = await workroom.workspace.stores.members.addKey(bot.member.id, { scopes: ['posts:read'] })
  const elsewhere = await write()
  const cases: [key: string | undefined, method: string, path: string, status: number, message: RegExp][] = [
    [undefined, 'GET', post.path, 401, /key/],
    [stranger.key, 'GET', post.path, 403, /not a member/],
    [stranger.key, 'GET', `${post.path}/${onPost}`, 403, /not a member/],
    [admin.key, 'POST', post.path, 403, /Only its author/],
    [reader.key, 'POST', post.path, 403, /posts:write/],
    [reader.key, 'GET', draft.path, 403, /drafts:read/],
    [owner.key, 'GET', draft.path, 404, /no draft/],
    [owner.key, 'GET', `${draft.path}/${onDraft}`, 404, /no draft/],
    [owner.key, 'POST', draft.path, 404, /no draft/],
    [owner.key, 'DELETE', `${draft.path}/${onDraft}`, 404, /no draft/],
    [bot.key, 'DELETE', `${post.path}/${onPost}`, 403, /author or a workspace owner or admin/],
    [grace.key, 'GET', `${elsewhere.path}/${onPost}`, 404, /no such attachment/],
    [grace.key, 'DELETE', `${elsewhere.path}/${onPost}`, 404, /no such attachment/],
    [grace.key, 'GET', `${project}/posts/nothing.md`, 404, /no post/],
    [grace.key, 'POST', `${project}/posts/nothing.md`, 404, /no post/],
  ]
  for (const [key, method, path, status, message] of cases) {
    const [file, id = ''] = path.split(/(?<=\.md)\//)
    const response = await request(
      method,
      `${file}/attachments${method === 'POST' ? '?name=b.txt' : id && `/${id}`}`,
      {
        key,
        ...(method === 'POST' && { body: 'x' }),
      },
    )
    t.match([response.status, response.json.message], [status, message], `${method} ${path}`)
  }
  for (const key of [reader.key, owner.key]) {
    t.equal((await request('GET', `${post.path}/attachments/${onPost}`, { key })).status, 200)
  }
  t.equal((await request('GET', `${draft.path}/attachments/${onDraft}`, { key: grace.key })).status, 200)
  const { status, headers } = await request('PUT', `${post.path}/attachments`, { body: 'x' })
  t.match([status, headers.allow], [405, 'GET, HEAD, POST'])
  t.same([filesOf(post), stagedFiles(home)], [['a.txt'], []])
})

t.test('an attachment is deleted by the author, an owner or an admin, with its file', async (t) => {
  const post = await write()
  for (const key of [grace.key, admin.key, owner.key]) {
    const { id } = (await attach(post, 'a.txt')).json
    const remove = () => request('DELETE', `${post.path}/attachments/${id}`, { key })
    const { status, json } = await remove()
    t.strictSame([status, json], [200, { id, deleted: true }])
    await checkNothing(t, post)
    t.equal((await remove()).status, 404)
  }
  t.notOk(existsSync(folderOf(post)), 'the empty folder is removed, too')
})

t.test(
  'attachments stay with a draft that is published, deleted and restored, until it is purged',
  async (t) => {
    const draft = await write('drafts')
    const { id } = (await attach(draft, 'a.txt', 'kept')).json
    const published = await request('POST', `${draft.path}/_publish`, { key: grace.key })
    t.equal(published.json.id, draft.id)
    const post: Written = published.json
    const read = () => request('GET', `${post.path}/attachments/${id}`)
    t.equal((await read()).text, 'kept')
    await request('DELETE', post.path, { key: grace.key })
    t.equal((await read()).status, 404)
    await request('POST', `${project}/trash/${post.id}/_restore`, { key: grace.key })
    t.equal((await read()).text, 'kept')
    await request('DELETE', post.path, { key: grace.key })
    clock.advance(30 * 24 * 3_600_000 + 1)
    await workroom.eventually(() => !existsSync(folderOf(post)))
  },
)

t.test(
  'a post that somebody moves into another project by hand on the disk keeps its attachments',
  async (t) => {
    const { slug } = (await request('POST', '/v1/fs/projects', { body: { name: 'Elsewhere' } })).json
    const post: Written & { filename: string } = (
      await request('PUT', `${project}/posts/new.md`, { body: '# Wanderer\n' })
    ).json
    const { id } = (await attach(post, 'a.txt', 'found', { key: owner.key })).json
    renameSync(
      join(home, 'projects/general/posts', post.filename),
      join(home, 'projects', slug, 'posts', post.filename),
    )
    const moved = `/v1/fs/projects/${slug}/posts/${post.filename}`
    const found = await workroom.eventually(async () => {
      const response = await request('GET', `${moved}/attachments/${id}`)
      return response.status === 200 ? response : null
    })
    t.equal(found.text, 'found')
  },
)

t.test('a post whose file is removed during an upload to it is deleted right after the upload', async (t) => {
  const [post, other] = [await write(), await write()]
  const isPlaced = () => filesOf(post).length > 0
  const held: (() => unknown)[] = []
  disk.replace('fsync', (real) => (isPlaced() ? held.push(real) : real()))
  const attaching = attach(post, 'a.txt')
  await workroom.eventually(isPlaced)
  for (const { path } of [post, other]) rmSync(join(home, 'projects/general/posts', basename(path)))
  await workroom.workspace.maintenance.scan()
  const isDeleted = ({ id }: Written) =>
    eventsOf(home).some(({ documentId, type }) => documentId === id && type === 'doc.delete')
  clock.advance(2000)
  await workroom.eventually(() => isDeleted(other))
  t.notOk(isDeleted(post), 'its deletion is due as well, and waits for the upload')
  disk.mend()
  for (const real of held) real()
  t.equal((await attaching).status, 201)
  t.ok(await workroom.eventually(() => isDeleted(post)), 'no other scan was needed')
  clock.advance(30 * 24 * 3_600_000 + 1)
  await workroom.eventually(() => !existsSync(folderOf(post)))
})

t.test('an attachment is shown at once, and a simultaneous write of the draft keeps it', async (t) => {
  const draft = await write('drafts')
  const first = await request('GET', draft.path, { key: grace.key })
  const [, , { json }] = await Promise.all([
    attach(draft, 'a.txt'),
    request('PUT', draft.path, { body: `# ${draft.title}\n\nMore.\n`, key: grace.key }),
    attach(draft, 'b.txt'),
  ])
  const { text, headers } = await request('GET', draft.path, { key: grace.key })
  t.match(text, /attachments: \[(?=.*"a\.txt")(?=.*"b\.txt").*\]\n---\n# Thing \d+\n\nMore\./)
  t.not(headers['x-service-revision'], first.headers['x-service-revision'])
  const fresh = () =>
    request('GET', draft.path, { key: grace.key, headers: { 'If-None-Match': headers.etag! } })
  t.equal((await fresh()).status, 200, 'the envelope has changed since that revision')
  await request('PUT', draft.path, { body: `# ${draft.title}\n\nEven more.\n`, key: grace.key })
  await workroom.restart()
  t.same((await listOf(draft)).map(({ name }: { name: string }) => name).sort(), ['a.txt', 'b.txt'])
  t.equal((await request('DELETE', `${draft.path}/attachments/${json.id}`, { key: grace.key })).status, 200)
  t.equal((await listOf(draft)).length, 1)
})

t.test('above 20 MB the answer contains a link that sends the file without a key, for an hour', async (t) => {
  const post = await write()
  const { id } = (await attach(post, 'große datei.bin')).json
  const file = join(folderOf(post), 'große datei.bin')
  const megabytes = 1024 * 1024
  truncateSync(file, 20 * megabytes)
  t.equal((await request('HEAD', `${post.path}/attachments/${id}`)).status, 200)
  truncateSync(file, 20 * megabytes + 1)
  const refused = await request('GET', `${post.path}/attachments/${id}`, { key: bot.key })
  t.match(refused, {
    status: 413,
    json: { error: 'bad_request', limitBytes: 20 * megabytes, requestId: String },
  })
  const { pathname } = new URL(refused.json.downloadUrl)
  const download = (path = pathname, range = 'bytes=0-3') =>
    request('GET', path, { key: undefined, headers: { Range: range } })
  t.match(await download(), {
    status: 206,
    text: 'some',
    headers: { 'content-range': `bytes 0-3/${20 * megabytes + 1}`, 'content-security-policy': /sandbox/ },
  })
  t.equal((await download(pathname, '')).text.length, 20 * megabytes + 1)
  t.notMatch(workroom.log.text(), pathname.split('/')[2]!, 'the log contains no valid link')

  const [, , token] = pathname.split('/')
  const [payload, signature] = token!.split('.')
  const forged = Buffer.from(payload!, 'base64url').toString().replace(bot.member.id, owner.member.id)
  for (const path of [
    `/download/${Buffer.from(forged).toString('base64url')}.${signature}/a`,
    `/download/${payload}.${'A'.repeat(43)}/a`,
    '/download/nonsense/a',
  ]) {
    t.match(await download(path), { status: 403, json: { error: /not valid/, requestId: String } })
  }
  clock.advance(3_600_000 - 1)
  t.equal((await download()).status, 206)
  clock.advance(1)
  t.match(await download(), { status: 403, json: { error: /This link has expired/ } })
})

t.test('a link expires with the rights of its member, and with the post or file', async (t) => {
  const guest = await workroom.addMember({ name: 'Guest', type: 'human' }, 'general')
  const draft = await write('drafts')
  const { id, name } = (await attach(draft, 'a.txt')).json
  truncateSync(join(folderOf(draft), name), 21 * 1024 * 1024)
  const linkFor = async (path: string, key: string) =>
    new URL((await request('GET', `${path}/attachments/${id}`, { key })).json.downloadUrl).pathname
  const head = async (path: string) => (await request('HEAD', path, { key: undefined })).status
  const own = await linkFor(draft.path, grace.key)
  const { path }: Written = (await request('POST', `${draft.path}/_publish`, { key: grace.key })).json
  t.equal(await head(own), 200)
  const guests = await linkFor(path, guest.key)
  t.equal(await head(guests), 200)
  await workroom.workspace.stores.members.change(guest.member.id, { status: 'deactivated' })
  t.equal(await head(guests), 403)
  await request('DELETE', `${path}/attachments/${id}`, { key: grace.key })
  t.equal(await head(own), 404)
  await request('DELETE', path, { key: grace.key })
  t.equal(await head(own), 404)
})

t.test('doctor compares the attachments in the database with the files on the disk', async (t) => {
  const post = await write()
  const gone = (await attach(post, 'gone.txt')).json
  await attach(post, 'kept.txt')
  rmSync(join(folderOf(post), 'gone.txt'))
  t.match(await request('GET', `${post.path}/attachments/${gone.id}`), {
    status: 404,
    json: { message: /gone\.txt is gone from the disk/ },
  })
  renameSync(join(folderOf(post), 'kept.txt'), join(folderOf(post), 'unknown.txt'))
  const folder = `projects/general/attachments/${post.id}`
  const findings = (await findDifferences(home)).findings.filter(({ path }) => path.startsWith(folder))
  t.match(findings, [
    { path: `${folder}/gone.txt`, problem: 'The attached file is missing.' },
    { path: `${folder}/kept.txt`, problem: 'The attached file is missing.' },
    { path: `${folder}/unknown.txt`, problem: 'The file is not attached to any document.' },
  ])
})

t.test('a post has at most 100 attachments, and an archived project takes none', async (t) => {
  const post = await write()
  await attach(post, 'a.txt')
  const [one] = await listOf(post)
  await workroom.restart(() => {
    const db = new Sqlite(join(home, '.workroom/workroom.db'))
    const many = JSON.stringify(Array.from({ length: 100 }, () => one))
    db.prepare('UPDATE documents SET attachments = ? WHERE id = ?').run(many, post.id)
    db.close()
  })
  t.match(await attach(post, 'b.txt'), { status: 422, json: { message: /at most 100 attachments/ } })
  t.equal((await request('PATCH', '/v1/projects/general', { body: { archived: true } })).status, 200)
  const other = await attach(post, 'b.txt')
  t.equal(other.status, 409)
  t.match(other.json, { error: 'conflict', message: /archived/ })
  t.equal((await request('DELETE', `${post.path}/attachments/${one.id}`)).status, 409)
  t.equal((await request('GET', `${post.path}/attachments`)).status, 200)
})
