import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { parseMultistatus } from '../../support/dav-client.ts'
import { eventsOf } from '../../support/event-log.ts'
import { davPath, mountedProject, statusOf } from '../../support/mounted-project.ts'

const { workroom, memberClient, pathOnDisk, put, get, transfer, readJson } = await mountedProject(t)
const { home } = workroom

/** A time in seconds that no file has by chance. */
const then = 1_577_934_245
const later = then + 60
const date = (seconds: number) => new Date(seconds * 1000).toUTCString()
const timed = (seconds: number) => ({ 'X-OC-Mtime': String(seconds) })
const secondsOf = (path: string) => statSync(pathOnDisk(path)).mtimeMs / 1000
const scan = () => workroom.workspace.maintenance.scan()
const shown = async (path: string) => (await memberClient.find(davPath + path, '0'))[0]!.properties
const revisions = async (path: string) => (await readJson(`/docs/${path}/_revisions`)).revisions.length

t.test('a file has the modification time that is sent with it', async (t) => {
  for (const path of ['/documents/note.md', '/documents/sheet.csv', '/files/picture.png']) {
    const written = await put(path, 'one', memberClient, timed(then))
    t.match([written.status, written.headers['x-oc-mtime']], [201, 'accepted'], path)
    t.equal(secondsOf(path.slice(1)), then)
    const read = await get(path)
    t.strictSame([read.headers['last-modified'], read.text], [date(then), 'one'])
    t.equal(String(read.headers.etag).replace('W/', ''), String(written.headers.etag).replace('W/', ''))
    t.equal((await shown(path)).getlastmodified, date(then))
    const same = await put(path, 'one', memberClient, timed(later))
    t.match([same.status, same.headers['x-oc-mtime']], [204, 'accepted'], 'also if the bytes are the same')
    t.equal(secondsOf(path.slice(1)), later)
    t.equal(
      await statusOf(put(path, 'two', memberClient, { ...timed(then), 'If-Match': same.headers.etag! })),
      204,
    )
    t.strictSame(
      [(await get(path)).text, secondsOf(path.slice(1))],
      ['two', then],
      'with the same length and time',
    )
    t.not((await get(path)).headers.etag, read.headers.etag, 'it has another ETag')
  }
})

t.test('an invalid time does not make a write fail', async (t) => {
  for (const time of ['', 'yesterday', '0x10', '1e9', '99999999999', '-99999999999']) {
    const { status, headers } = await put('/documents/odd.md', `# ${time}\n`, memberClient, {
      'X-OC-Mtime': time,
    })
    t.match([status < 300, headers['x-oc-mtime']], [true, undefined], time)
  }
  t.equal(
    (await put('/documents/odd.md', '# Old\n', memberClient, timed(-86_400.5))).headers['x-oc-mtime'],
    'accepted',
  )
  t.equal(secondsOf('documents/odd.md'), -86_400.5)
})

t.test('a new time is not an edit: no revision and no event, even after a restart', async (t) => {
  await put('/documents/quiet.md', '# Quiet\n')
  const etag = (await get('/documents/quiet.md')).headers.etag
  const before = [eventsOf(home).length, await revisions('quiet.md')]
  await put('/documents/quiet.md', '# Quiet\n', memberClient, timed(then))
  t.equal((await get('/documents/quiet.md')).headers.etag, etag)
  await scan()
  utimesSync(pathOnDisk('documents/quiet.md'), later, later)
  await scan()
  await workroom.restart()
  await scan()
  t.strictSame([eventsOf(home).length, await revisions('quiet.md')], before)
  writeFileSync(pathOnDisk('documents/quiet.md'), '# quiet\n')
  utimesSync(pathOnDisk('documents/quiet.md'), later, later)
  t.equal((await get('/documents/quiet.md')).text, '# quiet\n', 'it hides no edit')
})

t.test('PROPPATCH sets the time under any of the names that programs use', async (t) => {
  await put('/documents/patched.md', '# Patched\n')
  await put('/files/patched.txt', 'patched')
  mkdirSync(pathOnDisk('files/folder'))
  const patch = (path: string, property: string, instruction = 'set') =>
    memberClient.send('PROPPATCH', davPath + path, {
      body: `<D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:schemas-microsoft-com:"><D:${instruction}><D:prop>${property}</D:prop></D:${instruction}></D:propertyupdate>`,
    })
  const forms: [name: string, property: string][] = [
    ['lastmodified', `<D:lastmodified>${then}</D:lastmodified>`],
    ['lastmodified', `<D:lastmodified>${date(then)}</D:lastmodified>`],
    ['getlastmodified', `<D:getlastmodified>${date(then)}</D:getlastmodified>`],
    ['Win32LastModifiedTime', `<Z:Win32LastModifiedTime>${date(then)}</Z:Win32LastModifiedTime>`],
  ]
  for (const path of ['/documents/patched.md', '/files/patched.txt', '/files/folder']) {
    for (const [name, property] of forms) {
      utimesSync(pathOnDisk(path), later, later)
      t.match(
        parseMultistatus(await patch(path, property)),
        [{ properties: { [name]: '' }, others: {} }],
        property,
      )
      t.equal(secondsOf(path), then)
      t.equal((await shown(path)).getlastmodified, date(then))
    }
  }
  const path = '/documents/patched.md'
  t.match(parseMultistatus(await patch(path, '<D:getlastmodified>soon</D:getlastmodified>')), [
    { others: { getlastmodified: 409 } },
  ])
  t.match(
    parseMultistatus(
      await patch(path, `<D:lastmodified>${later}</D:lastmodified><D:displayname>x</D:displayname>`),
    ),
    [{ others: { lastmodified: 424, displayname: 403 } }],
  )
  t.match(parseMultistatus(await patch(path, '<D:getlastmodified/>', 'remove')), [
    { others: { getlastmodified: 403 } },
  ])
  t.equal(secondsOf(path), then)
  t.equal((await patch('/documents', `<D:lastmodified>${then}</D:lastmodified>`)).status, 403)
})

t.test('scratch files have their time, too', async (t) => {
  t.equal(
    (await put('/documents/._note.md', 'fork', memberClient, timed(then))).headers['x-oc-mtime'],
    'accepted',
  )
  t.equal((await shown('/documents/._note.md')).getlastmodified, date(then))
})

t.test('a move keeps the time, and a copy has the time that is sent with it', async (t) => {
  await put('/documents/kept.md', '# Kept\n', memberClient, timed(then))
  t.equal(await statusOf(transfer('MOVE', '/documents/kept.md', '/documents/moved.md')), 201)
  t.equal(secondsOf('documents/moved.md'), then)
  const copied = await transfer(
    'COPY',
    '/documents/moved.md',
    '/documents/copied.md',
    memberClient,
    timed(then),
  )
  t.match([copied.status, copied.headers['x-oc-mtime']], [201, 'accepted'])
  t.equal(secondsOf('documents/copied.md'), then)
})

t.test('checksums are served on request, and received bytes are checked against them', async (t) => {
  const hash = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex')
  const asked = '<propfind xmlns="DAV:"><prop><checksums xmlns="http://owncloud.org/ns"/></prop></propfind>'
  await memberClient.send('MKCOL', `${davPath}/documents/summed`)
  const texts = { 'a.md': '# A\n', 'b.txt': 'b', 'empty.txt': '' }
  for (const [name, text] of Object.entries(texts)) await put(`/documents/summed/${name}`, text)
  for (const body of [asked, asked]) {
    const [folder, ...files] = await memberClient.find(`${davPath}/documents/summed`, '1', body)
    t.strictSame(folder!.others, { checksums: 404 })
    t.strictSame(
      files.map(({ properties }) => properties.checksums),
      Object.values(texts).map((text) => `SHA1:${hash('sha1', text)} MD5:${hash('md5', text)}`),
    )
  }
  writeFileSync(pathOnDisk('documents/summed/b.txt'), 'c')
  const [, , changed] = await memberClient.find(`${davPath}/documents/summed`, '1', asked)
  t.match(changed!.properties.checksums, hash('sha1', 'c'))
  for (const path of ['/documents/summed/a.md', '/files/summed.bin']) {
    const send = (checksum: string) => put(path, 'sent', memberClient, { 'OC-Checksum': checksum })
    t.match(
      [(await send(`SHA1:${hash('sha1', 'meant')}`)).status, (await get(path)).text === 'sent'],
      [400, false],
    )
    t.ok([201, 204].includes((await send(`SHA1:${hash('sha1', 'sent')}`)).status))
    t.equal((await send(`MD5:${hash('md5', 'sent').toUpperCase()}`)).status, 204)
    t.equal((await send('ADLER32:0')).status, 204, 'an unknown algorithm is ignored')
  }
  const staged = readdirSync(`${home}/.workroom/tmp`).filter((name) => name.startsWith('staged-'))
  t.strictSame(staged, [], 'nothing is left of what was refused')
})
