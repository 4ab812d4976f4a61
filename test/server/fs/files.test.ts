import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import type { Scope } from '../../../core/access/member.ts'
import { defaultConfig } from '../../../core/config.ts'
import { databasePath } from '../../../data/home.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { stagedFiles } from '../../support/home-state.ts'
import type { RequestOptions } from '../../support/http-client.ts'
import { uploadForm } from '../../support/upload-form.ts'
import { startWorkroom } from '../../support/workroom.ts'

const disk = breakableDisk()
const workroom = await startWorkroom(t, {
  config: { limits: { ...defaultConfig.limits, uploadBytes: 100_000 } },
  faults: { tree: { fs: disk.fs } },
})
const { request, home, owner } = workroom
const project = '/v1/fs/projects/general'
const files = `${project}/library/files`
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const admin = await workroom.addMember({ name: 'Linus', type: 'human', role: 'admin' }, 'general')
const lead = await workroom.addMember({ name: 'Lead', type: 'human' })
await workroom.workspace.stores.projects.join(
  workroom.workspace.stores.projects.find('general')!,
  lead.member,
  'lead',
)
const stranger = await workroom.addMember({ name: 'Eve', type: 'human' })
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')

const at = (path: string) => join(home, 'projects/general/files', path)
const upload = (name: string, body: string | Uint8Array = 'text', options: RequestOptions = {}) =>
  request('POST', `${files}?name=${encodeURIComponent(name)}`, { body, key: grace.key, ...options })
const read = (name: string, options: RequestOptions = {}) => request('GET', `${files}/${name}`, options)
const names = async () => {
  const { json } = await request('GET', files)
  return json.files.map(({ name }: { name: string }) => name)
}
const put = (path: string, text: string) => {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}

t.test('an uploaded file is listed with a link, under both paths, and counted in the library', async (t) => {
  t.strictSame((await request('GET', files)).json, { project: 'general', files: [] })
  const form = await uploadForm(['file', new Uint8Array([1, 0, 255]), 'Q3 Zahlen.xlsx'])
  const sent = await request('POST', files, { key: grace.key, ...form })
  t.equal(sent.status, 201)
  t.match((await upload('reports/2026/q3.md', '# Q3\n', { key: bot.key })).json, {
    name: 'reports/2026/q3.md',
  })
  const { json } = await request('GET', files, { key: bot.key })
  t.strictSame(Object.keys(json.files[0]), ['name', 'type', 'size', 'updatedAt', 'path', 'downloadUrl'])
  t.match(json, {
    project: 'general',
    files: [
      {
        name: 'Q3 Zahlen.xlsx',
        type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        size: 3,
        updatedAt: sent.json.updatedAt,
        path: `${files}/Q3%20Zahlen.xlsx`,
      },
      { name: 'reports/2026/q3.md', type: 'text/markdown', size: 5, path: `${files}/reports/2026/q3.md` },
    ],
  })
  t.ok(existsSync(at('reports/2026/q3.md')))
  const artifacts = await request('GET', `${project}/artifacts`)
  t.strictSame(
    artifacts.json.files.map(({ path }: { path: string }) => path),
    json.files.map(({ path }: { path: string }) => path),
  )
  t.equal((await request('GET', `${project}/artifacts/reports/2026/q3.md`)).text, '# Q3\n')
  const { folders } = (await request('GET', `${project}/library`)).json
  t.match(folders, [{ name: 'documents' }, { name: 'files', count: 2, path: files }])
  t.match((await request('GET', project)).text, `\`${files}\``)
  const { pathname } = new URL(json.files[0].downloadUrl)
  const download = await fetch(workroom.url + pathname)
  t.same(new Uint8Array(await download.arrayBuffer()), [1, 0, 255])
  t.match(download.headers.get('content-disposition'), /^attachment; filename="Q3 Zahlen.xlsx"/)
})

t.test('a text up to 1 MB is answered as plain text, any other file as a link', async (t) => {
  put('texts/page.html', '<script>alert(1)</script>')
  put('texts/ünï.md', '# Über\n')
  put('texts/limit.log', 'x'.repeat(1024 * 1024))
  put('texts/over.log', 'x'.repeat(1024 * 1024 + 1))
  put('texts/nul.txt', 'a\0b')
  writeFileSync(at('texts/latin.txt'), Buffer.from('Gr\xfc\xdfe', 'latin1'))
  for (const [name, type, text] of [
    ['page.html', 'text/plain; charset=utf-8', '<script>alert(1)</script>'],
    ['%C3%BCn%C3%AF.md', 'text/markdown; charset=utf-8', '# Über\n'],
    ['limit.log', 'text/plain; charset=utf-8', 'x'.repeat(1024 * 1024)],
  ] as const) {
    const response = await read(`texts/${name}`)
    t.strictSame(
      [response.status, response.headers['content-type'], response.text === text],
      [200, type, true],
      name,
    )
    t.match(response.headers, { 'x-content-type-options': 'nosniff', 'content-security-policy': /sandbox/ })
    const again = await read(`texts/${name}`, { headers: { 'If-None-Match': response.headers.etag! } })
    t.equal(again.status, 304)
  }
  for (const [name, type, size] of [
    ['over.log', 'text/plain', 1024 * 1024 + 1],
    ['nul.txt', 'text/plain', 3],
    ['latin.txt', 'text/plain', 5],
  ] as const) {
    const { status, json } = await read(`texts/${name}`)
    t.strictSame(Object.keys(json), ['name', 'type', 'size', 'downloadUrl'])
    t.match([status, json], [200, { name: `texts/${name}`, type, size }])
    const { pathname } = new URL(json.downloadUrl)
    t.equal((await request('HEAD', pathname, { key: undefined })).headers['content-length'], String(size))
  }
  t.equal((await request('HEAD', `${files}/texts/page.html`)).headers['content-length'], '25')
})

t.test(
  'files that people put into the folder by hand are listed, and nothing that is not such a file',
  async (t) => {
    put('hand/Notes.txt', 'by hand')
    put('hand/cafe\u0301.txt', 'decomposed')
    put('hand/twin.txt', 'lower')
    put('hand/Twin.txt', 'upper')
    put('hand/.hidden', 'x')
    put('hand/draft.txt~', 'x')
    put('hand/.git/config', 'x')
    put('hand/back\\slash', 'x')
    put('a/b/c/d/e/f/g/deep.txt', 'deep')
    put('a/b/c/d/e/f/g/h/deeper.txt', 'too deep')
    put('hand/big.bin', '')
    truncateSync(at('hand/big.bin'), 70 * 1024 * 1024)
    symlinkSync('/etc/passwd', at('hand/link.txt'))
    symlinkSync('/etc', at('hand/folder'))
    execFileSync('mkfifo', [at('hand/fifo.txt')])
    const shown = (await names()).filter((name: string) => /^(hand|a)\//.test(name))
    t.same(shown, [
      'a/b/c/d/e/f/g/deep.txt',
      'hand/Notes.txt',
      'hand/Twin.txt',
      'hand/big.bin',
      'hand/cafe\u0301.txt',
      'hand/twin.txt',
    ])
    for (const [name, text] of [
      ['hand/Notes.txt', 'by hand'],
      ['HAND/notes.TXT', 'by hand'],
      ['hand/caf%C3%A9.txt', 'decomposed'],
      ['hand/twin.txt', 'lower'],
      ['hand/Twin.txt', 'upper'],
      ['hand/Notes.txt/', 'by hand'],
    ] as const) {
      t.equal((await read(name)).text, text, name)
    }
    for (const name of [
      'hand/link.txt',
      'hand/folder/passwd',
      'hand/fifo.txt',
      'hand/.hidden',
      'hand/.git/config',
      'hand/draft.txt~',
      'hand/nothing',
      'hand/Notes.txt/more',
      'hand/folder',
      'hand/%2e%2e/x',
      'hand/..%2f..%2fREADME.md',
      'hand/a:b',
      'hand/back%5Cslash',
    ]) {
      t.match(await read(name), { status: 404, json: { error: 'not_found' } }, name)
    }
    t.match((await read('hand/big.bin')).json, { size: 70 * 1024 * 1024, type: 'application/octet-stream' })
  },
)

t.test('an upload never replaces another file: it gets a number', async (t) => {
  const sent = []
  for (const name of ['same/plan.pdf', 'same/plan.pdf', 'SAME/PLAN.pdf'])
    sent.push((await upload(name)).json.name)
  t.strictSame(sent, ['same/plan.pdf', 'same/plan-2.pdf', 'same/PLAN-3.pdf'])
  const together = await Promise.all(['one', 'two'].map((text) => upload('same/race', text)))
  t.strictSame(together.map(({ json }) => json.name).sort(), ['same/race', 'same/race-2'])
  t.same(stagedFiles(home), [])
})

t.test('an invalid upload is refused with a message, and nothing of it is kept', async (t) => {
  const before = await names()
  const cases: [name: string, body: string, status: number, message: RegExp][] = [
    ['', 'x', 422, /name/],
    ['../escape', 'x', 422, /out of its folder/],
    ['a//b', 'x', 422, /is empty/],
    ['/etc/passwd', 'x', 422, /is empty/],
    ['com1/x', 'x', 422, /device/],
    ['a/b/c/d/e/f/g/h/i.txt', 'x', 422, /at most 7 folders deep/],
    ['hand/notes.txt/inside', 'x', 409, /name of a folder/],
    ['hand/folder/x', 'x', 409, /name of a folder/],
    ['large', 'x'.repeat(100_001), 413, /at most 100000 bytes/],
  ]
  for (const [name, body, status, message] of cases) {
    const response = await upload(name, body)
    t.match([response.status, response.json.message], [status, message], name)
  }
  disk.fail('write', 'ENOSPC')
  const full = await upload('full.txt')
  disk.mend()
  t.match(full, { status: 503, json: { message: /the disk is full/ } })
  t.strictSame(await names(), before)
  t.same(stagedFiles(home), [])
})

t.test('members upload and read, and an owner, an admin or the lead deletes', async (t) => {
  await upload('rights/a.txt')
  const reader = await workroom.workspace.stores.members.addKey(bot.member.id, { scopes: ['documents:read'] })
  const poster = await workroom.workspace.stores.members.addKey(bot.member.id, {
    scopes: ['posts:read', 'posts:write'],
  })
  const file = '/rights/a.txt'
  const cases: [key: string | undefined, method: string, path: string, status: number, message: RegExp][] = [
    [undefined, 'GET', '', 401, /key/],
    [stranger.key, 'GET', '', 403, /not a member/],
    [stranger.key, 'GET', file, 403, /not a member/],
    [stranger.key, 'POST', '?name=b', 403, /not a member/],
    [stranger.key, 'DELETE', file, 403, /not a member/],
    [poster.key, 'GET', '', 403, /documents:read/],
    [reader.key, 'POST', '?name=b', 403, /documents:write/],
    [reader.key, 'DELETE', file, 403, /documents:write/],
    [grace.key, 'DELETE', file, 403, /lead of the project, a workspace owner or an admin/],
    [bot.key, 'DELETE', file, 403, /lead of the project/],
    [owner.key, 'DELETE', '/nothing', 404, /no file "nothing"/],
    [owner.key, 'PUT', file, 409, /Send If-Match/],
    [owner.key, 'PUT', '', 405, /only GET, HEAD, POST/],
  ]
  for (const [key, method, path, status, message] of cases) {
    const response = await request(method, files + path, { key, ...(method !== 'GET' && { body: 'x' }) })
    t.match([response.status, response.json.message], [status, message], `${method} ${path}`)
  }
  t.equal((await read('rights/a.txt', { key: reader.key })).status, 200)
  for (const { key } of [owner, admin, lead]) {
    await upload('rights/deep/b.txt')
    const { status, json } = await request('DELETE', `${files}/rights/deep/b.txt`, { key })
    t.strictSame([status, json], [200, { id: json.id, name: 'rights/deep/b.txt', deleted: true }])
    t.match(json.id, /^file_/)
    t.same(
      [existsSync(at('rights/deep')), existsSync(at('rights'))],
      [false, true],
      'empty folders are removed with it',
    )
  }
})

const trash = `${project}/trash`
const dayMs = 24 * 3_600_000
type TrashRow = { id: string; filename: string; path: string }
/** The rows of uploaded files in the trash. */
const deleted = async (key = owner.key): Promise<TrashRow[]> =>
  (await request('GET', trash, { key })).json.trash.filter(({ kind }: { kind: string }) => kind === 'file')
const kept = () =>
  existsSync(join(home, 'trash/general/deleted')) ? readdirSync(join(home, 'trash/general/deleted')) : []
/** Deletes an uploaded file. @returns its row in the trash */
const thrown = async (name: string, text = name) => {
  put(name, text)
  t.equal((await request('DELETE', `${files}/${name}`)).status, 200)
  return (await deleted()).find(({ filename }) => filename === `files/${name}`)!
}

t.test('a deleted file is in the trash, and is restored to its place', async (t) => {
  workroom.clock.advance(31 * dayMs)
  await workroom.eventually(() => kept().length === 0)
  const bytes = Buffer.from([0, 1, 0xff])
  await upload('trash/deep/a.bin', bytes)
  await request('DELETE', `${files}/trash/deep/a.bin`)
  const [row] = await deleted(grace.key)
  t.strictSame(row, {
    id: row!.id,
    kind: 'file',
    filename: 'files/trash/deep/a.bin',
    title: 'a.bin',
    deletedAt: workroom.clock.now(),
    deletedBy: 'Ada',
    path: `${trash}/${row!.id}/_restore`,
  })
  await workroom.restart()
  for (const key of [stranger.key, grace.key]) {
    t.equal((await request('POST', row!.path, { key })).status, 403, 'only by those who may delete it')
  }
  const { status, json } = await request('POST', row!.path, { key: lead.key })
  const path = `${files}/trash/deep/a.bin`
  t.strictSame(
    [status, json],
    [201, { id: row!.id, filename: 'files/trash/deep/a.bin', path, created: true }],
  )
  t.same(readFileSync(at('trash/deep/a.bin')), bytes)
  t.equal((await request('GET', path)).status, 200)
  t.strictSame(await deleted(), [])
  t.strictSame(kept(), [])
  t.equal((await request('POST', row!.path)).status, 404)
})

t.test(
  'a file that has taken the name is left alone, and one that replaced the folder is reported',
  async (t) => {
    const row = await thrown('again/a.txt', 'old')
    put('again/a.txt', 'new')
    t.match((await request('POST', row.path)).json, { filename: 'files/again/a-2.txt' })
    t.match([await read('again/a.txt'), await read('again/a-2.txt')], [{ text: 'new' }, { text: 'old' }])
    const other = await thrown('folder/a.txt')
    put('folder', 'a file')
    t.match(await request('POST', other.path), {
      status: 409,
      json: { message: /files\/folder is now a file/ },
    })
    unlinkSync(at('folder'))
    t.equal((await request('POST', other.path)).status, 201)
  },
)

t.test('a key sees and restores deleted files with the scopes for documents', async (t) => {
  const row = await thrown('scopes.txt')
  const keyWith = async (scopes: Scope[]) =>
    (await workroom.workspace.stores.members.addKey(admin.member.id, { scopes })).key
  const reader = await keyWith(['documents:read'])
  t.equal((await deleted(reader)).length, 1)
  t.match(await request('POST', row.path, { key: reader }), {
    status: 403,
    json: { message: /documents:write/ },
  })
  t.equal((await request('POST', row.path, { key: await keyWith(['documents:write']) })).status, 201)
})

t.test(
  'a file that cannot be deleted stays, and a deleted one is never listed without its bytes',
  async (t) => {
    put('stuck.txt', 'stuck')
    disk.fail('linkSync', 'EIO', ([, to]) => String(to).includes('/deleted/'))
    t.equal((await request('DELETE', `${files}/stuck.txt`)).status, 503)
    disk.mend()
    t.strictSame(
      [await names(), await deleted()].flat().filter((name) => name === 'stuck.txt'),
      ['stuck.txt'],
    )
    t.strictSame(await deleted(), [])
    const row = await thrown('taken.txt')
    unlinkSync(join(home, 'trash/general/deleted', kept()[0]!))
    t.strictSame(await deleted(), [])
    t.equal((await request('POST', row.path)).status, 404)
  },
)

t.test('after 30 days a deleted file is purged, and of too many the oldest are', async (t) => {
  const row = await thrown('late.txt')
  workroom.clock.advance(30 * dayMs - 1)
  t.equal((await deleted()).length, 1)
  workroom.clock.advance(2000)
  await workroom.eventually(() => kept().length === 0)
  t.strictSame(await deleted(), [])
  t.equal((await request('POST', row.path)).status, 404)
  const db = new Sqlite(databasePath(home))
  const insert = db.prepare(
    "INSERT INTO trashed_files SELECT ?, id, 'files/x', 'trash/x', 0, ?, ? FROM projects",
  )
  db.transaction(() => {
    for (let n = 0; n < 10_000; n++)
      insert.run(`file_${n}`, workroom.clock.now() - 10_000 + n, owner.member.id)
  })()
  const newest = await thrown('newest.txt')
  const ids = db.prepare('SELECT id FROM trashed_files ORDER BY deleted_ms').pluck().all()
  t.strictSame([ids.length, ids[0], ids.at(-1)], [10_000, 'file_1', newest.id])
  db.prepare('DELETE FROM trashed_files WHERE path = ?').run('files/x')
  db.close()
  t.equal((await request('POST', newest.path)).status, 201)
})

t.test('a link expires with the file and with the rights of its member', async (t) => {
  await upload('links/a.txt', 'content')
  const guest = await workroom.addMember({ name: 'Guest', type: 'human' }, 'general')
  const linkFor = async (key: string) => {
    const { json } = await request('GET', files, { key })
    const row = json.files.find(({ name }: { name: string }) => name === 'links/a.txt')
    return new URL(row.downloadUrl).pathname
  }
  const get = (path: string) => request('GET', path, { key: undefined })
  const [guests, own] = [await linkFor(guest.key), await linkFor(grace.key)]
  t.match(await get(guests), { status: 200, text: 'content' })
  utimesSync(at('links/a.txt'), 1, 1)
  const { headers } = await get(own)
  t.equal(headers['last-modified'], new Date(1000).toUTCString())
  workroom.clock.advance(3_599_000)
  t.equal((await get(own)).status, 200)
  await workroom.workspace.stores.members.change(guest.member.id, { status: 'deactivated' })
  t.match(await get(guests), { status: 403, json: { error: /deactivated/ } })
  await request('DELETE', `${files}/links/a.txt`)
  t.match(await get(own), { status: 404, json: { error: /deleted or renamed/, requestId: String } })
  t.equal((await request('POST', own, { key: undefined })).status, 405)
})
