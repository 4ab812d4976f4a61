import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { parseMultistatus } from '../../support/dav-client.ts'
import { eventsOf } from '../../support/event-log.ts'
import { davPath, mountedProject, statusOf, tree } from '../../support/mounted-project.ts'

const {
  workroom,
  grace,
  lin,
  ownerClient,
  memberClient,
  leadClient,
  pathOnDisk,
  put,
  get,
  move,
  transfer,
  readJson,
} = await mountedProject(t)
const { request, home } = workroom

const scan = () => workroom.workspace.maintenance.scan()

const count = 12
const names = Array.from({ length: count }, (_, n) => `${String(n).padStart(2, '0')}.md`)

/** Makes a folder of documents, with a plain file and a hidden folder. */
async function folderOfDocuments(folder: string): Promise<Map<string, string>> {
  for (const inner of ['', '/sub', '/.git']) await memberClient.send('MKCOL', `${davPath}/${folder}${inner}`)
  const paths = names.map((name, n) => (n % 3 === 0 ? `sub/${name}` : name))
  await Promise.all(paths.map((path) => put(`/${folder}/${path}`, `# ${folder} ${path}\n`)))
  await put(`/${folder}/picture.png`, 'picture')
  await put(`/${folder}/.git/config`, 'config')
  return idsIn(folder)
}

/** Returns the ids of the documents in a folder, by their paths in it. */
async function idsIn(folder: string): Promise<Map<string, string>> {
  const within = `${folder.replace(/^documents\//, '')}/`
  const { documents } = await readJson('/docs', workroom.owner.key)
  return new Map(
    documents
      .filter(({ filename }: { filename: string }) => filename.startsWith(within))
      .map(
        ({ id, filename }: { id: string; filename: string }) => [filename.slice(within.length), id] as const,
      )
      .sort(),
  )
}

const trashed = async () => (await readJson('/trash', workroom.owner.key)).trash.length
const from = (folder: string) => `/${folder}`

t.test('a folder moves in one rename, with everything in it, and its documents keep their ids', async (t) => {
  const ids = await folderOfDocuments('documents/one')
  const { ino } = statSync(pathOnDisk('documents/one'))
  const before = eventsOf(home).length
  t.equal(await statusOf(move('/documents/one', '/documents/two')), 201)
  t.equal(statSync(pathOnDisk('documents/two')).ino, ino)
  t.notOk(existsSync(pathOnDisk('documents/one')))
  t.equal(readFileSync(pathOnDisk('documents/two/.git/config'), 'utf8'), 'config', 'hidden files come along')
  t.strictSame(await idsIn('documents/two'), ids)
  const events = eventsOf(home).slice(before)
  t.strictSame(new Set(events.map(({ documentId }) => documentId)), new Set(ids.values()))
  t.equal(events.length, count, 'one for each document')
  for (const { type, via, actorId, detail } of events) {
    t.match({ type, via, actorId }, { type: 'doc.write', via: 'api', actorId: grace.member.id })
    t.equal(detail.previousPath, detail.path.replace('/two/', '/one/'))
  }
  t.match(
    await request('GET', `${tree}/docs/one/sub/00.md`),
    { text: /# documents\/one sub\/00\.md/ },
    'the old name works for a while',
  )
  await scan()
  t.equal(eventsOf(home).length, before + count, 'a scan finds no edits')
})

t.test('a folder that is moved twice at once ends as a whole in one place', async (t) => {
  const ids = await folderOfDocuments('documents/once')
  const before = await trashed()
  const again = await Promise.all([1, 2, 3].map(() => statusOf(move('/documents/once', '/documents/twice'))))
  t.strictSame(again.sort(), [201, 404, 404], 'to the same place')
  t.strictSame(await idsIn('documents/twice'), ids)
  const apart = await Promise.all(
    ['left', 'right'].map((name) => statusOf(move('/documents/twice', `/documents/${name}`))),
  )
  t.strictSame(apart.toSorted(), [201, 404], 'to different places')
  const place = apart[0] === 201 ? 'left' : 'right'
  t.strictSame(await idsIn(`documents/${place}`), ids)
  t.equal(await trashed(), before)
  t.equal(readFileSync(pathOnDisk(`documents/${place}/picture.png`), 'utf8'), 'picture')
})

t.test('what is written into a folder while it moves is kept, before or after the move', async (t) => {
  const ids = await folderOfDocuments('documents/busy')
  const writes = names.map(async (name, n) => {
    const path = n % 3 === 0 ? `sub/${name}` : name
    return { path, ...(await put(`/documents/busy/${path}`, `# Written ${path}\n`)) }
  })
  const moved = await move('/documents/busy', '/documents/quiet')
  t.equal(moved.status, 201)
  for (const { path, status } of await Promise.all(writes)) {
    const places = [`/documents/quiet/${path}`, `/documents/busy/${path}`]
    const texts = await Promise.all(places.map(async (place) => (await get(place)).text))
    if (status < 300) t.ok(texts.includes(`# Written ${path}\n`), `${path} ${status}`)
    t.ok([...(await idsIn('documents/quiet')).values()].includes(ids.get(path)!), `${path} is there`)
  }
})

t.test('plain files move in one rename, however many they are', async (t) => {
  mkdirSync(pathOnDisk('files/many/deep'), { recursive: true })
  for (let n = 0; n < 5_500; n++) writeFileSync(pathOnDisk(`files/many/${n}`), '')
  writeFileSync(pathOnDisk('files/many/deep/.hidden'), 'hidden')
  t.equal(await statusOf(move('/files/many', '/files/moved')), 201)
  t.equal(readdirSync(pathOnDisk('files/moved')).length, 5_501)
  t.equal(await statusOf(move('/files/moved', '/documents/many')), 201, 'also among documents')
  t.equal(readFileSync(pathOnDisk('documents/many/deep/.hidden'), 'utf8'), 'hidden')
  rmSync(pathOnDisk('documents/many'), { recursive: true })
})

t.test('a folder can be renamed to another case', async (t) => {
  const ids = await folderOfDocuments('documents/guides')
  t.equal(await statusOf(move('/documents/guides', '/documents/Guides')), 201)
  t.ok(readdirSync(pathOnDisk('documents')).includes('Guides'))
  t.notOk(readdirSync(pathOnDisk('documents')).includes('guides'))
  t.strictSame(await idsIn('documents/Guides'), ids)
})

t.test('a folder moves to another project as a whole or not at all', async (t) => {
  await request('POST', '/v1/fs/projects', { body: { name: 'Other' } })
  const other = workroom.workspace.stores.projects.find('other')!
  await workroom.workspace.stores.projects.join(other, lin, 'member')
  const ids = await folderOfDocuments('documents/away')
  const to = (client: typeof memberClient) =>
    client.send('MOVE', `${davPath}/documents/away`, {
      headers: { Destination: '/dav/projects/other/documents/away' },
    })
  t.match(await to(leadClient), { status: 403, json: { error: /Only its author.*documents\/away\// } })
  t.strictSame(await idsIn('documents/away'), ids, 'nothing has moved')
  t.equal(await statusOf(to(ownerClient)), 201)
  t.equal((await idsIn('documents/away')).size, 0)
  const there = (await request('GET', '/v1/fs/projects/other/docs')).json.documents
  t.strictSame(new Set(there.map(({ id }: { id: string }) => id)), new Set(ids.values()))
  t.ok(existsSync(join(home, 'projects/other/documents/away/.git/config')))
})

t.test('documents moved among uploaded files are deleted, and can be restored from the trash', async (t) => {
  const ids = await folderOfDocuments('documents/old')
  t.match(await move('/documents/old', '/files/old', leadClient), {
    status: 403,
    json: { error: /Only its author/ },
  })
  t.equal(await statusOf(move('/documents/old', '/files/old', ownerClient)), 201)
  t.equal(readFileSync(pathOnDisk('files/old/01.md'), 'utf8'), '# documents/old 01.md\n')
  const { trash } = await readJson('/trash', workroom.owner.key)
  for (const id of ids.values()) t.ok(trash.some((row: { id: string }) => row.id === id))
  const id = ids.get('01.md')!
  t.equal(await statusOf(request('POST', `${tree}/trash/${id}/_restore`)), 201)
  t.equal((await get('/documents/old/01.md')).text, '# documents/old 01.md\n')
  t.match(await move('/files/old', '/documents/back', ownerClient), {
    status: 409,
    json: { error: /would become a document/ },
  })
  t.ok(existsSync(pathOnDisk('files/old/01.md')), 'nothing has moved')
})

t.test('a folder that another folder replaces can be restored', async (t) => {
  const ids = await folderOfDocuments('documents/new')
  const replaced = await folderOfDocuments('documents/stood')
  t.equal(await statusOf(move('/documents/new', '/documents/stood', ownerClient, { Overwrite: 'F' })), 412)
  t.match(await move('/documents/new', '/documents/stood', leadClient), { status: 403 })
  t.strictSame(await idsIn('documents/stood'), replaced)
  t.equal(await statusOf(move('/documents/new', '/documents/stood', ownerClient)), 204)
  t.strictSame(await idsIn('documents/stood'), ids)
  const id = replaced.get('sub/00.md')!
  t.equal(await statusOf(request('POST', `${tree}/trash/${id}/_restore`)), 201)
  t.match(await get('/documents/stood/sub/00-2.md'), { text: '# documents/stood sub/00.md\n' })
  const { trash } = await readJson('/trash', workroom.owner.key)
  for (const name of ['picture.png', '.git/config']) {
    const row = trash.find(({ filename }: { filename: string }) => filename === `documents/stood/${name}`)
    t.equal(await statusOf(request('POST', row.path)), 201, name)
  }
  t.equal(readFileSync(pathOnDisk('documents/stood/picture-2.png'), 'utf8'), 'picture')
})

t.test('scratch files in a folder move with it', async (t) => {
  await folderOfDocuments('documents/mac')
  await put('/documents/mac/sub/._01.md', 'resource fork')
  t.equal(await statusOf(move('/documents/mac', '/documents/Mac')), 201)
  t.equal((await get('/documents/Mac/sub/._01.md')).text, 'resource fork')
})

t.test('a copy of a folder includes hidden files, and reports what it leaves out', async (t) => {
  await folderOfDocuments('documents/origin')
  t.equal(await statusOf(transfer('COPY', '/documents/origin', '/documents/copied')), 201)
  t.equal(readFileSync(pathOnDisk('documents/copied/.git/config'), 'utf8'), 'config')
  symlinkSync('/etc/hostname', pathOnDisk('documents/origin/sub/link'))
  const partly = await transfer('COPY', '/documents/origin', '/documents/partly')
  t.equal(partly.status, 207)
  t.match(parseMultistatus(partly), [{ path: `/dav${davPath}/documents/origin/sub/link`, status: 409 }])
  t.equal((await idsIn('documents/partly')).size, count)
})

t.test('an impossible move is refused before anything is touched', async (t) => {
  const ids = await folderOfDocuments('documents/stays')
  const deep = `/documents${'/x'.repeat(8)}`
  mkdirSync(pathOnDisk(deep), { recursive: true })
  mkdirSync(pathOnDisk('documents/taken'))
  writeFileSync(pathOnDisk('documents/taken/x.txt'), 'x')
  const cases: [to: string, status: number, message: RegExp][] = [
    ['/posts/stays', 403, /without folders/],
    ['/board/01-triage/stays', 403, /four columns/],
    ['/stays', 403, /A project holds/],
    ['/documents/no/such', 409, /no folder/],
    ['/documents/CON', 422, /device/],
    [`${dirname(deep)}/stays`, 422, /at most 8 folders deep/],
    ['/documents/stays/within', 403, /into itself/],
  ]
  for (const [to, status, message] of cases) {
    const response = await move('/documents/stays', to, leadClient)
    t.match([response.status, response.json?.error], [status, message], to)
  }
  t.strictSame(await idsIn('documents/stays'), ids)
  t.equal(await statusOf(transfer('COPY', from('documents/stays'), '/documents/stays', leadClient)), 403)
})

t.test('a folder in which files have vanished or appeared moves with what is there', async (t) => {
  const ids = await folderOfDocuments('documents/changed')
  rmSync(pathOnDisk('documents/changed/01.md'))
  writeFileSync(pathOnDisk('documents/changed/new.md'), '# New\n')
  renameSync(pathOnDisk('documents/changed/02.md'), pathOnDisk('documents/elsewhere.md'))
  t.equal(await statusOf(move('/documents/changed', '/documents/after')), 201)
  await workroom.eventually(async () => (await idsIn('documents/after')).has('new.md'))
  await workroom.eventually(async () => !(await idsIn('documents/after')).has('01.md'))
  await workroom.eventually(async () => {
    const { documents } = await readJson('/docs')
    return documents.some(
      (row: { id: string; filename: string }) =>
        row.id === ids.get('02.md') && row.filename === 'elsewhere.md',
    )
  })
  t.equal((await idsIn('documents/after')).size, count - 1)
})
