import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { MarkdownService } from '../../../core/markdown/index.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { davClient } from '../../support/dav-client.ts'
import { saveByRename } from '../../support/editors.ts'
import { davPath, markdownBytes, mountedProject, statusOf, tree } from '../../support/mounted-project.ts'
import { processMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'

const {
  workroom,
  grace,
  ownerClient,
  memberClient,
  leadClient,
  pathOnDisk,
  put,
  get,
  remove,
  transfer,
  move,
  readJson,
} = await mountedProject(t)
const { request, home, clock } = workroom

t.test('plain files stream in and out, in folders of their own', async (t) => {
  const bytes = Buffer.alloc(150_000, 'abc')
  t.equal(await statusOf(memberClient.send('MKCOL', `${davPath}/files/pictures`)), 201)
  const { status, headers } = await put('/files/pictures/a.png', bytes)
  t.equal(status, 201)
  const read = await get('/files/pictures/a.png', memberClient, { Range: 'bytes=3-5' })
  t.strictSame([read.status, read.text, read.headers['content-type']], [206, 'abc', 'image/png'])
  t.equal(
    headers.etag,
    (await memberClient.find(`${davPath}/files/pictures/a.png`, '0'))[0]!.properties.getetag,
  )
  t.match((await readJson('/library/files')).files, [{ name: 'pictures/a.png', size: 150_000 }])
  t.match(await put('/files/long.bin', Buffer.alloc(200_001)), { status: 413 })
  t.equal(await statusOf(put('/documents/picture.png', bytes)), 201)
  t.ok((await memberClient.list(`${davPath}/documents`)).includes('picture.png'))
  t.notOk(JSON.stringify(await readJson('/docs')).includes('picture'))
})

t.test('replacing a plain file does not destroy it, and deleting it needs permission', async (t) => {
  await put('/files/sheet.ods', 'one')
  t.equal(await statusOf(put('/files/sheet.ods', 'two', memberClient, { 'If-Match': '"x"' })), 412)
  t.equal(await statusOf(put('/files/sheet.ods', 'two')), 204)
  await put('/files/new.ods', 'three')
  t.equal(await statusOf(move('/files/new.ods', '/files/sheet.ods', memberClient, { Overwrite: 'F' })), 412)
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
  t.equal(await statusOf(remove('/files/Sheet.ods', leadClient)), 204)
  clock.advance(31 * 24 * 3_600_000)
  await put('/files/pictures/a.png', 'smaller')
  t.equal(readdirSync(kept).length, 1, 'it is purged after 30 days')
})

t.test('files that programs replace constantly push no files of people out of the trash', async (t) => {
  const [kept, hidden] = ['files', 'hidden-files'].map((folder) => join(home, 'trash/general', folder))
  const before = readdirSync(kept!)
  for (const folder of ['/documents/.obsidian', '/files/many'])
    await memberClient.send('MKCOL', davPath + folder)
  for (const text of ['one', 'two', 'three']) await put('/documents/.obsidian/workspace.json', text)
  t.strictSame(readdirSync(kept!), before)
  t.equal(readdirSync(hidden!).length, 2)
  clock.advance(3_600_000)
  for (let n = 0; n < 1100; n++) writeFileSync(join(kept!, `${clock.now() - 2000 + n}-old.txt`), '')
  await put('/files/many/a.txt', 'old')
  await put('/files/many/a.txt', 'new')
  const left = readdirSync(kept!)
  t.equal(left.length, 900, 'the oldest are purged when there are too many')
  t.match(left.at(-1), /-a\.txt$/)
})

t.test('a deleted file is restored from the trash wherever it was, and with its folder', async (t) => {
  for (const folder of ['/files/gone', '/files/gone/deep', '/documents/gone']) {
    await memberClient.send('MKCOL', davPath + folder)
  }
  const paths = ['/files/gone/a.bin', '/files/gone/deep/.env', '/documents/gone/picture.png']
  for (const path of paths) await put(path, `what ${path} was`)
  for (const folder of ['/files/gone', '/documents/gone']) {
    t.equal(await statusOf(remove(folder, leadClient)), 204)
    t.equal(await statusOf(get(folder)), 404)
  }
  const { trash } = await readJson('/trash')
  for (const path of paths) {
    const row = trash.find(({ filename }: { filename: string }) => `/${filename}` === path)
    t.match(row, { kind: 'file', deletedBy: 'Lin' }, path)
    const { status, json } = await request('POST', row.path)
    t.equal(status, 201)
    t.equal((await get(path)).text, `what ${path} was`)
    t.match((await request('GET', json.path)).status, 200, `${json.path} can be read`)
  }
  t.notOk(/a\.bin|\.env|picture/.test(JSON.stringify(await readJson('/trash'))))
})

t.test('a file that becomes a document, or is saved by a move, leaves nothing in the trash', async (t) => {
  await put('/documents/.saving', 'new')
  await put('/documents/saved.md', 'old')
  t.equal(await statusOf(move('/documents/.saving', '/documents/saved.md')), 204)
  t.equal((await get('/documents/saved.md')).text, 'new')
  t.notOk(JSON.stringify(await readJson('/trash')).includes('.saving'))
})

t.test('the name decides whether a moved file is a document', async (t) => {
  await put('/files/note.txt', '# Note\n')
  t.equal(await statusOf(move('/files/note.txt', '/documents/note.md')), 201)
  t.match(await request('GET', `${tree}/docs/note.md`), { text: /^author: Grace$/m })
  t.equal(await statusOf(get('/files/note.txt')), 404)
  t.equal(await statusOf(move('/documents/note.md', '/documents/note.txt')), 201)
  t.match((await readJson('/trash')).trash[0], { title: 'Note' })
  t.equal((await get('/documents/note.txt')).text, '# Note\n')
  await put('/files/large.txt', Buffer.alloc(markdownBytes + 1))
  t.equal(await statusOf(transfer('COPY', '/files/large.txt', '/documents/large.md')), 413)
})

t.test('attachments and published skills are shown, and cannot be changed on the mount', async (t) => {
  const { id } = (await request('PUT', `${tree}/posts/p.md`, { body: '# Pictured\n', key: grace.key })).json
  const attach = `${tree}/posts/${id}/attachments?name=a.txt`
  await request('POST', attach, {
    body: 'attached',
    key: grace.key,
    headers: { 'Content-Type': 'text/plain' },
  })
  mkdirSync(pathOnDisk('skills/review'), { recursive: true })
  writeFileSync(pathOnDisk('skills/review/SKILL.md'), 'how to')
  t.strictSame((await memberClient.list(davPath)).slice(-2), ['attachments', 'skills'])
  t.strictSame(await memberClient.list(`${davPath}/attachments`), [id])
  t.strictSame(await memberClient.list(`${davPath}/attachments/${id}`), ['a.txt'])
  t.equal((await get(`/attachments/${id}/a.txt`)).text, 'attached')
  t.strictSame(await memberClient.list(`${davPath}/skills/review`), ['SKILL.md'])
  t.equal((await get('/skills/review/SKILL.md')).text, 'how to')
  for (const path of [
    `/attachments/${id}/a.txt`,
    '/skills/review/SKILL.md',
    `/skills/review`,
    '/attachments',
  ]) {
    t.match(
      await remove(path, ownerClient),
      { status: 403, json: { error: /Attach files|Publish skills/ } },
      path,
    )
  }
  t.equal(await statusOf(put('/skills/review/x.md', 'x')), 403)
})

t.test('a file written while it becomes a document is not lost', async (t) => {
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
  const source = `${davPath}/files/notes.md`
  await client.send('PUT', source, { body: '# Notes\n' })
  whileParsing = () => {
    whileParsing = () => {}
    writeFileSync(join(apart.home, 'projects/general/files/notes.md'), '# Notes, and more of them\n')
  }
  const headers = { Destination: `/dav${davPath}/documents/notes.md` }
  t.equal(await statusOf(client.send('MOVE', source, { headers })), 412)
  t.equal((await client.send('GET', source)).text, '# Notes, and more of them\n')
})

t.test('a file saved at the moment when it is removed to become a document is not lost', async (t) => {
  const disk = breakableDisk()
  const apart = await startWorkroom(t, { faults: { tree: { fs: disk.fs }, markdown: processMarkdown() } })
  const client = davClient(apart, apart.owner.key)
  const source = `${davPath}/files/notes.md`
  const path = join(apart.home, 'projects/general/files/notes.md')
  await client.send('PUT', source, { body: '# Notes\n' })
  for (const call of ['renameSync', 'unlinkSync'] as const) {
    disk.replace(call, (real, [from]) => {
      if (from === path) {
        disk.mend()
        saveByRename(path, '# Notes, saved by hand\n')
      }
      return real()
    })
  }
  const headers = { Destination: `/dav${davPath}/documents/notes.md` }
  t.equal(await statusOf(client.send('MOVE', source, { headers })), 412)
  t.equal(readFileSync(path, 'utf8'), '# Notes, saved by hand\n')
})
