import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { databasePath } from '../../../data/home.ts'
import { caseInsensitiveDisk } from '../../support/case-insensitive-disk.ts'
import { davClient } from '../../support/dav-client.ts'
import { eventsOf } from '../../support/event-log.ts'
import { davPath, mountedProject, statusOf } from '../../support/mounted-project.ts'
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
const { clock, home } = workroom
const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const dayMs = 24 * 3_600_000

/** Names of plain files, chosen by people. */
const plainNames = [
  '.env',
  '.gitignore',
  '.hidden.md',
  '.obsidian/app',
  '.obsidian/templates/daily.md',
  '.resource/0123456789abcdef',
  '.git/objects/0a/1b2c3d',
  'node_modules/left-pad/README.md',
  'draft.tmp',
  'movie.part',
  'notes~',
  '#scratch#',
  'Thumbs.db',
  'desktop.ini',
  'animation.swf',
  '4913/inside.txt',
]

/** Names of scratch files, which programs leave beside people's files. */
const debrisNames = [
  '._notes.md',
  '.DS_Store',
  '~$plan.docx',
  '~WRD0001.tmp',
  '.~lock.plan.odt#',
  '.plan.md.swp',
  '4913',
  '.goutputstream-X1Y2Z3',
]

const makeFolders = async (path: string, client = memberClient) => {
  const names = path.split('/').slice(1, -1)
  for (let length = 2; length <= names.length; length++) {
    await client.send('MKCOL', `${davPath}/${encoded(names.slice(0, length).join('/'))}`)
  }
}

t.test('a plain file with the name of a temporary stays under its name until it is deleted', async (t) => {
  const events = eventsOf(home).length
  const paths = ['files', 'documents'].flatMap((zone) => plainNames.map((name) => `/${zone}/kept/${name}`))
  for (const path of paths) {
    await makeFolders(path)
    t.equal(await statusOf(put(encoded(path), `what ${path} says`)), 201, path)
  }
  await workroom.restart()
  clock.advance(2 * dayMs)
  for (const path of paths) {
    t.equal((await get(encoded(path), ownerClient)).text, `what ${path} says`, path)
    t.equal(readFileSync(pathOnDisk(path), 'utf8'), `what ${path} says`, path)
    const folder = path.slice(0, path.lastIndexOf('/'))
    t.ok((await ownerClient.list(davPath + encoded(folder))).includes(path.slice(folder.length + 1)), path)
  }
  t.equal(eventsOf(home).length, events, 'none is a document')
  t.match((await readJson('/docs')).documents, { length: 1 })
  t.match((await readJson('/library/files')).files, [{ name: 'kept/animation.swf' }])
  for (const path of paths) {
    const status = await statusOf(remove(encoded(path)))
    t.equal(status, path.endsWith('.swf') ? 403 : 204, `${path}: members may delete temporary files`)
  }
})

t.test('a scratch file is kept for its member alone, until that member deletes it', async (t) => {
  const zones = ['files', 'documents', 'posts', 'drafts/grace', 'board/02-todo', 'documents/notes']
  await memberClient.send('MKCOL', `${davPath}/documents/notes`)
  const paths = zones.flatMap((zone) => debrisNames.map((name) => `/${zone}/${name}`))
  for (const path of paths) t.equal(await statusOf(put(encoded(path), path)), 201, path)
  t.equal(await statusOf(put('/documents/.DS_Store', 'Ada’s', ownerClient)), 201)
  t.equal(await statusOf(memberClient.send('MKCOL', `${davPath}/.TemporaryItems`)), 201)
  t.equal(await statusOf(put('/.TemporaryItems/safe.md', '# Safe\n')), 201)
  await workroom.restart()
  clock.advance(40 * dayMs)
  for (const path of paths) {
    t.equal((await get(encoded(path))).text, path)
    t.not((await get(encoded(path), ownerClient)).text, path, 'nobody else sees it')
    t.notOk(existsSync(pathOnDisk(path)), path)
  }
  t.equal((await get('/documents/.DS_Store', ownerClient)).text, 'Ada’s')
  t.strictSame((await memberClient.list(`${davPath}/posts`)).sort(), [...debrisNames].sort())
  t.strictSame(await ownerClient.list(`${davPath}/posts`), [])
  t.equal(await statusOf(put('/documents/.DS_Store', 'again', memberClient, { 'If-Match': '"x"' })), 412)
  t.equal(await statusOf(put('/documents/.DS_Store', 'again')), 204)
  t.equal(await statusOf(remove('/documents/.DS_Store')), 204)
  t.equal(await statusOf(get('/documents/.DS_Store')), 404)
  t.equal(await statusOf(move('/.TemporaryItems/safe.md', '/documents/safe.md')), 201)
  t.equal(readFileSync(pathOnDisk('documents/safe.md'), 'utf8'), '# Safe\n')
  t.equal(await statusOf(remove('/.TemporaryItems')), 204)
  t.equal(await statusOf(remove('/documents/notes', leadClient)), 204)
  await memberClient.send('MKCOL', `${davPath}/documents/notes`)
  t.strictSame(await memberClient.list(`${davPath}/documents/notes`), [], 'it is deleted with its folder')
  const left = readdirSync(join(home, '.workroom/scratch'))
  t.equal(left.length, paths.length - debrisNames.length, 'its bytes are deleted, too')
})

t.test('a file that a person put on the disk under such a name is shown to everyone', async (t) => {
  writeFileSync(pathOnDisk('documents/.~lock.mine.odt#'), 'by hand')
  t.equal((await get(encoded('/documents/.~lock.mine.odt#'), ownerClient)).text, 'by hand')
  t.ok((await ownerClient.list(`${davPath}/documents`)).includes('.~lock.mine.odt#'))
})

t.test('names that cannot be kept are refused at once', async (t) => {
  const cases: [path: string, status: number][] = [
    ['/posts/.env', 403],
    ['/posts/draft.tmp', 403],
    ['/drafts/grace/notes~', 403],
    ['/drafts/grace/.hidden.md', 403],
    ['/board/02-todo/.gitignore', 403],
    ['/.gitignore', 403],
    ['/files/a:b', 422],
    ['/files/. ', 422],
    [`/files/._${'x'.repeat(254)}`, 422],
  ]
  for (const [path, status] of cases) t.equal(await statusOf(put(encoded(path), 'x')), status, path)
  t.equal(await statusOf(memberClient.send('PUT', '/projects/.env', { body: 'x' })), 403)
  t.equal(await statusOf(memberClient.send('MKCOL', `${davPath}/posts/.git`)), 403)
  const deep = '/files/1/2/3/4/5/6/7/8/x.txt'
  await makeFolders(deep)
  t.equal(await statusOf(put(deep, 'x')), 409)
})

t.test('an empty post is still there after a restart', async (t) => {
  t.equal(await statusOf(put('/posts/begun.md', '')), 201)
  await workroom.restart()
  t.equal((await memberClient.find(`${davPath}/posts/begun.md`, '0'))[0]!.properties.getcontentlength, '0')
  t.equal(await statusOf(put('/posts/begun.md', '# Begun\n')), 204)
  t.equal((await get('/posts/begun.md', ownerClient)).text, '# Begun\n')
})

t.test('a member’s scratch files have a limit, beyond which more are refused', async (t) => {
  const database = new Sqlite(databasePath(home))
  const fill = database.prepare('INSERT INTO scratch_files VALUES (?, ?, ?, ?, NULL, 0)')
  database.transaction(() => {
    for (let n = 0; n < 10_000; n++)
      fill.run('projects/general/files/full', grace.member.id, `._${n}`, `._${n}`)
  })()
  const { status, json } = await put('/files/._more', 'x')
  t.match([status, json.error], [403, /Too many temporary files/i])
  t.equal(await statusOf(put('/files/._more', 'x', ownerClient)), 201, 'another member has room')
  database.prepare("DELETE FROM scratch_files WHERE folder = 'projects/general/files/full'").run()
  database.close()
  t.equal(await statusOf(put('/files/._more', 'x')), 201)
})

t.test('a copy of a folder includes its hidden files', async (t) => {
  for (const folder of ['hiding', 'hiding/.git'])
    await memberClient.send('MKCOL', `${davPath}/documents/${folder}`)
  for (const name of ['.env', '.git/config', '.DS_Store']) await put(`/documents/hiding/${name}`, name)
  t.equal(await statusOf(transfer('COPY', '/documents/hiding', '/files/copied')), 201)
  for (const name of ['.env', '.git/config', '.DS_Store'])
    t.equal((await get(`/files/copied/${name}`)).text, name)
})

t.test('hiding a file needs the permission to delete it', async (t) => {
  await put('/files/sheet.csv', 'all that there is')
  t.equal(await statusOf(move('/files/sheet.csv', '/files/.sheet.csv')), 403)
  t.equal(await statusOf(move('/files/sheet.csv', '/files/.sheet.csv', leadClient)), 201)
  await put('/documents/theirs.md', '# Theirs\n', ownerClient)
  t.equal(await statusOf(move('/documents/theirs.md', '/documents/.theirs.md')), 403)
})

t.test('a name is found in its exact case only, and another case is another file', async (t) => {
  for (const [one, other] of [
    ['/files/plan.txt', '/files/Plan.txt'],
    ['/documents/plan.md', '/documents/PLAN.md'],
    ['/documents/plan.csv', '/documents/plan.CSV'],
  ] as const) {
    await put(one, 'one')
    for (const method of ['GET', 'DELETE', 'PROPFIND'] as const) {
      t.equal(
        await statusOf(memberClient.send(method, davPath + other, { headers: { Depth: '0' } })),
        404,
        method,
      )
    }
    t.equal(await statusOf(move(other, '/files/x.txt')), 404)
    const { status } = await put(other, 'other', memberClient, { 'If-None-Match': '*' })
    t.equal(status, 201)
    t.strictSame([(await get(one)).text, (await get(other)).text], ['one', 'other'])
    t.strictSame(
      [readFileSync(pathOnDisk(one), 'utf8'), readFileSync(pathOnDisk(other), 'utf8')],
      ['one', 'other'],
    )
    t.equal(await statusOf(remove(other, leadClient)), one.endsWith('.md') ? 403 : 204)
    t.equal((await get(one)).text, 'one')
  }
  t.equal(await statusOf(memberClient.send('MKCOL', `${davPath}/files/Case`)), 201)
  t.equal(await statusOf(memberClient.send('MKCOL', `${davPath}/files/case`)), 201)
  await put('/files/Case/only.bin', 'one')
  t.strictSame(await memberClient.list(`${davPath}/files/case`), [])
  t.equal(await statusOf(get('/Files/Case/only.bin')), 404)
  t.equal(await statusOf(get('/readme.md')), 404)
  t.equal(await statusOf(put('/readme.md', '# Another home\n')), 409)
  const { id } = workroom.workspace.stores.projects.find('general')!
  t.equal(await statusOf(memberClient.send('GET', `/projects/${id}/files/Case/only.bin`)), 404)
})

t.test('either Unicode form finds a name, which is shown as it was sent', async (t) => {
  const [nfc, nfd] = ['NFC', 'NFD'].map((form) => 'Zoë é'.normalize(form)) as [string, string]
  const mixed = `${'Zoë'.normalize('NFC')} ${'é'.normalize('NFD')}`
  for (const zone of ['files', 'documents']) {
    for (const [stored, asked] of [
      [nfc, nfd],
      [nfd, nfc],
      [mixed, nfc],
    ] as const) {
      t.equal(await statusOf(put(encoded(`/${zone}/${stored}.md`), 'text')), 201)
      t.equal((await get(encoded(`/${zone}/${asked}.md`))).text, 'text')
      const [entry] = await memberClient.find(davPath + encoded(`/${zone}/${asked}.md`), '0')
      t.equal(entry!.path, `/dav${davPath}/${zone}/${stored}.md`)
      t.ok(
        (await memberClient.list(`${davPath}/${zone}`)).includes(`${stored}.md`),
        'it is listed as it was sent',
      )
      t.equal(await statusOf(put(encoded(`/${zone}/${asked}.md`), 'more')), 204)
      t.equal(readFileSync(pathOnDisk(`${zone}/${stored}.md`), 'utf8'), 'more')
      t.equal(
        await statusOf(remove(encoded(`/${zone}/${asked}.md`), leadClient)),
        zone === 'files' ? 204 : 403,
      )
      t.equal(
        await statusOf(remove(encoded(`/${zone}/${asked}.md`), ownerClient)),
        zone === 'files' ? 404 : 204,
      )
    }
  }
})

t.test('a move can change the case and the Unicode form of a name', async (t) => {
  for (const [from, to] of [
    ['/files/spelled.txt', '/files/Spelled.txt'],
    ['/documents/spelled.md', '/documents/SPELLED.md'],
    ['/files/Zoe\u0308.txt', '/files/Zo\u00eb.txt'],
    ['/documents/Zoe\u0308.md', '/documents/Zo\u00eb.md'],
  ] as const) {
    await put(encoded(from), 'text')
    t.equal(await statusOf(move(encoded(from), to)), 201, to)
    const folder = from.slice(0, from.lastIndexOf('/'))
    const names = await memberClient.list(davPath + folder)
    t.ok(names.includes(to.slice(folder.length + 1)) && !names.includes(from.slice(folder.length + 1)), to)
    t.equal((await get(encoded(to))).text, 'text')
    t.ok(readdirSync(pathOnDisk(folder)).includes(to.slice(folder.length + 1)))
  }
})

t.test('on a disk that ignores case no name takes the place of another', async (t) => {
  const apart = await startWorkroom(t, { faults: { tree: { fs: caseInsensitiveDisk() } } })
  const client = davClient(apart, apart.owner.key)
  const send = (method: string, path: string, body?: string, to = '') =>
    statusOf(
      client.send(method, davPath + path, {
        body,
        headers: { Destination: `/dav${davPath}${to}`, ...(method === 'PROPFIND' && { Depth: '0' }) },
      }),
    )
  const text = async (path: string) => (await client.send('GET', davPath + path)).text
  for (const [folder, extension] of [
    ['files', 'txt'],
    ['documents', 'csv'],
    ['documents', 'md'],
  ]) {
    const [one, other] = [`/${folder}/plan.${extension}`, `/${folder}/Plan.${extension}`]
    t.equal(await send('PUT', one, 'one'), 201)
    t.equal(await send('PUT', other, 'other'), 409)
    t.equal(await send('PROPFIND', other), 404)
    t.equal(await send('DELETE', other), 404)
    await send('PUT', `/${folder}/third.${extension}`, 'third')
    t.equal(await send('MOVE', `/${folder}/third.${extension}`, undefined, other), 409)
    t.equal(await text(one), 'one')
    t.equal(await send('MOVE', one, undefined, other), 201, 'another case is the same file')
    t.equal(await text(other), 'one')
    t.equal(await send('GET', one), 404)
    t.ok((await client.list(`${davPath}/${folder}`)).includes(`Plan.${extension}`))
  }
  t.equal(await send('MKCOL', '/files/Case'), 201)
  t.equal(await send('MKCOL', '/files/case'), 409)
  t.equal(await send('PUT', '/files/case/x.txt', 'x'), 409)
  t.equal(await send('PUT', '/files/Case/x.txt', 'x'), 201)
  for (const [folder, file] of [
    ['files', 'x.txt'],
    ['documents', 'x.md'],
  ] as const) {
    const [one, other] = [`/${folder}/Guides`, `/${folder}/guides`]
    await send('MKCOL', one)
    t.equal(await send('PUT', `${one}/${file}`, 'text'), 201)
    t.equal(await send('MOVE', one, undefined, other), 201, 'a folder can be respelled, too')
    t.ok((await client.list(`${davPath}/${folder}`)).includes('guides'))
    t.equal(await text(`${other}/${file}`), 'text')
    t.equal(await send('GET', `${one}/${file}`), 404)
  }
})
