import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import type { LockStore } from '../../../core/mount/lock-store.ts'
import { DavLocks } from '../../../server/dav/locks.ts'
import { basicAuthorization, davClient, parseMultistatus } from '../../support/dav-client.ts'
import { sendRaw } from '../../support/http-client.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { TestClock } from '../../support/test-clock.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t, {
  config: {
    publicUrl: 'https://team.example',
    limits: { ...defaultConfig.limits, requestsPerMinute: 10_000 },
  },
})
const { request, clock, owner } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = davClient(workroom, owner.key)
const mate = davClient(workroom, grace.key)
const folder = '/projects/general/documents'
const file = `${folder}/welcome.md`
const { host } = new URL(workroom.url)

const lockBody = (scope = 'exclusive', owner = '<D:owner>Ada &amp; Co</D:owner>') =>
  `<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype>${owner}</D:lockinfo>`
const lock = (path: string, client = ada, headers = {}, body: string | undefined = lockBody()) =>
  client.send('LOCK', path, { body, headers: { Depth: '0', ...headers } })
/** Takes a lock. @returns its token in angle brackets */
const locked = async (path: string, client = ada, headers = {}, body = lockBody()) =>
  String((await lock(path, client, headers, body)).headers['lock-token'])
const unlock = (path: string, token: string, client = ada) =>
  client.send('UNLOCK', path, { headers: { 'Lock-Token': token } })
const put = (path: string, client = ada, headers = {}) => client.send('PUT', path, { body: 'text', headers })

t.test('a key works as the password of any user, and nothing else opens the mount', async (t) => {
  const asked = { headers: { Depth: '0' } }
  const without = await request('PROPFIND', '/dav/', { key: undefined, ...asked })
  t.match(
    [without.status, without.headers['www-authenticate']],
    [401, 'Basic realm="Workroom", charset="UTF-8"'],
  )
  t.equal((await request('PROPFIND', '/dav', asked)).status, 207, 'also as a bearer key')
  const token = await workroom.workspace.signin.sessions.signInByKey(owner.key, {
    userAgent: '',
    formerToken: null,
  })
  const cookie = `workroom_session=${token}`
  const withCookie = { key: undefined, headers: { Cookie: cookie, Depth: '0' } }
  t.equal((await request('PROPFIND', '/dav/', withCookie)).status, 401)
  t.equal((await request('GET', '/api/members', withCookie)).status, 200, 'the cookie is valid')
  const wrong = (key: string) =>
    request('GET', '/dav/', { key: undefined, headers: { Authorization: basicAuthorization(key) } })
  t.equal((await wrong('')).status, 401, 'no password is no attempt')
  for (let n = 0; n < 10; n++) {
    const { status, headers } = await wrong(`wr_${n}`)
    t.match([status, headers['www-authenticate']], [401, /^Basic/])
  }
  t.equal((await wrong('wr_10')).status, 429)
  const { status, headers } = await ada.send('GET', '/')
  t.strictSame([status, headers['retry-after']], [429, '900'], 'every key has to wait')
  clock.advance(15 * 60_000)
  t.equal((await ada.send('GET', '/')).status, 200)
})

t.test('OPTIONS is answered for everyone, also at the root, and allows no other site', async (t) => {
  for (const path of ['/dav', '/dav/projects/x', '/']) {
    const { status, headers } = await request('OPTIONS', path, { key: undefined })
    t.match([status, headers.dav, headers['ms-author-via']], [200, '1, 2', 'DAV'], path)
    t.match(headers.allow, /PROPFIND.*LOCK/)
    t.equal(headers['access-control-allow-origin'], undefined)
  }
  const { status, headers } = await ada.send('POST', '/')
  t.match([status, headers.allow], [405, /PROPFIND/])
  t.equal((await request('PROPFIND', '/davos')).status, 404)
  const fragment = await sendRaw(
    workroom.url,
    `DELETE /dav${file}#x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAuthorization: ${basicAuthorization(owner.key)}\r\n\r\n`,
  )
  t.match(fragment, /^HTTP\/1.1 400/)
})

t.test('a folder is listed one level at a time, with the requested properties', async (t) => {
  const infinite = await ada.send('PROPFIND', folder, { headers: { Depth: 'infinity' } })
  t.match([infinite.status, infinite.text], [403, /<D:propfind-finite-depth\/>/])
  t.match(infinite.text, new RegExp(String(infinite.headers['x-request-id'])))
  t.equal((await ada.send('PROPFIND', folder)).status, 403, 'no Depth means infinity')
  t.equal((await ada.send('PROPFIND', folder, { headers: { Depth: '2' } })).status, 400)
  t.equal((await ada.send('PROPFIND', `${folder}/missing`, { headers: { Depth: '0' } })).status, 404)
  t.equal((await ada.find(`${folder}/`, '1,noroot')).length, 2)
  await ada.send('MKCOL', `${folder}/a%20%26%20%C3%A4`)
  t.match(await ada.find(folder, '1'), [
    { path: `/dav${folder}/`, properties: { resourcetype: 'D:collection' } },
    { path: `/dav${folder}/a & ä/`, properties: { displayname: 'a & ä' } },
    { path: `/dav${file}`, properties: { resourcetype: '', supportedlock: 'D:lockentry D:lockentry' } },
  ])
  const some = '<propfind xmlns="DAV:"><prop><getetag/><x xmlns="urn:x&amp;"/><y xmlns=""/></prop></propfind>'
  const [one, two] = await ada.find(folder, '1', some)
  t.strictSame(one, {
    path: `/dav${folder}/`,
    properties: {},
    others: { getetag: 404, x: 404, y: 404 },
    status: null,
  })
  t.strictSame(two!.others, { getetag: 404, x: 404, y: 404 })
  const [names] = await ada.find(file, '0', '<propfind xmlns="DAV:"><propname/></propfind>')
  t.match(names!.properties, { getetag: '', getcontentlength: '', lockdiscovery: '' })
  t.equal((await ada.find(file, '0', '<propfind xmlns="DAV:"><allprop/></propfind>')).length, 1)
})

t.test('a body that is not XML of WebDAV is 400, and nothing in it is expanded', async (t) => {
  const bodies = [
    'text',
    '<propfind xmlns="DAV:">',
    '<propfind xmlns="DAV:"></prop></propfind>',
    '<propfind xmlns="DAV:"/><propfind xmlns="DAV:"/>',
    '<propfind/>',
    '<lockinfo xmlns="DAV:"/>',
    '<D:propfind xmlns:D=""><D:allprop/></D:propfind>',
    '<D:propfind xmlns:D="DAV:"><prop><E:x/></prop></D:propfind>',
    '<propfind xmlns="DAV:" xmlns="DAV:"><allprop/></propfind>',
    '<propfind xmlns=DAV:><allprop/></propfind>',
    '<propfind xmlns="DAV:"><nothing/></propfind>',
    '<!DOCTYPE propfind [<!ENTITY a "x">]><propfind xmlns="DAV:"><allprop/></propfind>',
    `${'<a xmlns="DAV:">'.repeat(40)}${'</a>'.repeat(40)}`,
    `<propfind xmlns="DAV:"><prop>${'<a/>'.repeat(201)}</prop></propfind>`,
    Buffer.from([0x3c, 0xff]),
  ]
  for (const body of bodies) {
    const { status } = await ada.send('PROPFIND', file, { body, headers: { Depth: '0' } })
    t.equal(status, 400, String(body).slice(0, 80))
  }
  const long = { body: ' '.repeat(33_000), headers: { Depth: '0' } }
  t.equal((await ada.send('PROPFIND', file, long)).status, 413)
})

t.test('properties are refused, except those that file managers set after a copy', async (t) => {
  const patch = async (properties: string, client = ada) => {
    const body = `<propertyupdate xmlns="DAV:" xmlns:Z="urn:schemas-microsoft-com:"><set><prop>${properties}</prop></set></propertyupdate>`
    return client.send('PROPPATCH', file, { body })
  }
  const time = '<Z:Win32FileAttributes>00000020</Z:Win32FileAttributes>'
  t.match(parseMultistatus(await patch(time)), [{ properties: { Win32FileAttributes: '' }, others: {} }])
  t.match(parseMultistatus(await patch(`${time}<x xmlns="urn:x">y</x>`)), [
    { others: { Win32FileAttributes: 424, x: 403 } },
  ])
  t.match(parseMultistatus(await patch('<displayname>y</displayname>')), [{ others: { displayname: 403 } }])
  t.equal((await patch('')).status, 400)
})

t.test('a lock keeps others on the mount from writing until it is released or expires', async (t) => {
  const taken = await lock(file, ada, { Timeout: 'Second-60, Infinite' })
  const token = String(taken.headers['lock-token'])
  t.match([taken.status, token], [200, /^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4/])
  const [shown] = await mate.find(file, '0')
  t.match(shown!.properties.lockdiscovery, /Ada & Co.*Second-60/)
  t.notMatch(shown!.properties.lockdiscovery, /urn:uuid/, 'only the holder sees the token')
  t.match((await ada.find(file, '0'))[0]!.properties.lockdiscovery, /urn:uuid/)
  const headers = { Destination: `/dav${folder}/other.md` }
  const inTheWay = await put(file, mate)
  t.match([inTheWay.status, inTheWay.text], [423, /<D:lock-token-submitted\/>/])
  const cases: [method: string, path: string][] = [
    ['DELETE', file],
    ['MOVE', file],
    ['PROPPATCH', file],
  ]
  const body = '<propertyupdate xmlns="DAV:"><set><prop><x/></prop></set></propertyupdate>'
  for (const [method, path] of cases) {
    const { status } = await mate.send(method, path, { headers, ...(method === 'PROPPATCH' && { body }) })
    t.equal(status, 423, `${method} ${path}`)
  }
  t.equal((await mate.send('COPY', file, { headers })).status, 201, 'reading is allowed')
  t.equal(
    (await mate.send('COPY', `${folder}/other.md`, { headers: { Destination: `/dav${file}` } })).status,
    423,
  )
  t.equal((await put(file)).status, 423, 'the holder must send the token')
  t.equal((await put(file, mate, { If: `(${token})` })).status, 423, 'another member cannot use it')
  t.equal((await put(file, ada, { If: `(${token})` })).status, 204)
  t.equal((await put(file, ada, { If: '(<urn:uuid:0>)' })).status, 412)
  t.equal(
    (await request('PUT', '/v1/fs/projects/general/docs/welcome.md', { body: '# Welcome\n' })).status,
    201,
  )
  t.equal((await unlock(file, token, mate)).status, 403)
  t.equal((await unlock(file, '<urn:uuid:0>')).status, 409)
  t.equal((await ada.send('UNLOCK', file)).status, 400)
  clock.advance(50_000)
  t.equal((await lock(file, ada, { If: `(${token})`, Timeout: 'Infinite' }, '')).status, 200)
  t.match((await ada.find(file, '0'))[0]!.properties.lockdiscovery, /Second-3600/)
  t.equal((await lock(file, mate, { If: `(${token})` }, '')).status, 412)
  clock.advance(3_600_000)
  t.equal((await put(file, mate)).status, 204)
  const again = await locked(file)
  t.equal((await unlock(file, again)).status, 204)
  t.equal((await put(file, mate)).status, 204)
})

t.test(
  'locks exclude each other unless they are shared, and a deep lock covers everything below',
  async (t) => {
    const one = await locked(file, ada, {}, lockBody('shared'))
    const two = await locked(
      file,
      mate,
      {},
      lockBody('shared', '<D:owner><D:href>mailto:g</D:href></D:owner>'),
    )
    t.equal((await lock(file, mate)).status, 423)
    t.equal((await put(file, mate, { If: `(${two})` })).status, 204)
    for (const [token, client] of [
      [one, ada],
      [two, mate],
    ] as const)
      await unlock(file, token, client)
    await ada.send('MKCOL', `${folder}/deep`)
    await put(`${folder}/deep/a.md`)
    const inside = await locked(`${folder}/deep/a.md`)
    t.equal((await mate.send('DELETE', `${folder}/deep`)).status, 423, 'its folder cannot be deleted')
    await unlock(`${folder}/deep/a.md`, inside)
    const deep = await locked(`${folder}/deep`, ada, { Depth: 'infinity' })
    const below = `${folder}/deep/a.md`
    t.match((await lock(below, mate)).text, /no-conflicting-lock/)
    t.equal((await put(below, mate)).status, 423)
    t.equal((await put(`${folder}/deep/new.md`, mate)).status, 423)
    t.equal((await put(below, ada, { If: `</dav${folder}/deep/> (${deep})` })).status, 204)
    t.equal((await ada.send('DELETE', `${folder}/deep`, { headers: { If: `(${deep})` } })).status, 204)
    t.equal((await put(`${folder}/deep.md`, mate)).status, 201, 'a deleted folder has no lock')
    const flat = await locked(`${folder}/a%20%26%20%C3%A4`)
    t.equal(
      (await put(`${folder}/a%20%26%20%C3%A4/new.md`, mate)).status,
      423,
      'nothing can be added to a locked folder',
    )
    await unlock(`${folder}/a%20%26%20%C3%A4`, flat)
  },
)

t.test('locking a missing file creates it, and what cannot be locked is refused', async (t) => {
  const made = await lock(`${folder}/fresh.md`)
  t.equal(made.status, 201)
  t.equal((await ada.send('GET', `${folder}/fresh.md`)).text, '')
  t.equal((await lock(`${folder}/no/such.md`)).status, 409)
  t.equal((await put(`${folder}/no/such.md`)).status, 409, 'no lock is left behind')
  for (const path of ['/', '/projects', '/projects/general', folder, '/projects/general/board/01-triage']) {
    t.equal((await lock(path)).status, 403, path)
  }
  t.equal((await lock(file, ada, { Depth: '1' })).status, 400)
  t.equal((await lock(file, ada, {}, lockBody('other'))).status, 400)
  t.equal((await lock(file, ada, { If: '(["x"])' })).status, 412)
})

t.test('a lock is disclosed to nobody who may not see its file', async (t) => {
  const eve = davClient(workroom, (await workroom.addMember({ name: 'Eve', type: 'human' })).key)
  await put('/projects/general/drafts/ada/unheard.md')
  const tokens = [await locked('/projects/general/drafts/ada/unheard.md'), await locked(file)]
  await eve.send('MKCOL', '/.TemporaryItems')
  await eve.send('PUT', '/.TemporaryItems/a.md', { body: 'x' })
  for (const path of ['/projects/general', folder]) {
    const responses = [
      await eve.send('DELETE', path),
      await eve.send('COPY', '/.TemporaryItems/a.md', { headers: { Destination: `/dav${path}` } }),
      await eve.send('MOVE', '/.TemporaryItems', { headers: { Destination: `/dav${path}` } }),
    ]
    for (const { status, text } of responses) t.match([status, text], [403, /^(?!.*locked)/s], path)
  }
  for (const method of ['DELETE', 'MOVE']) {
    const headers = { Destination: `/dav${folder}/drafts` }
    const { status, text } = await mate.send(method, '/projects/general/drafts', { headers })
    t.match([status, text], [403, /^(?!.*unheard)/s], `${method} of a folder with the drafts of all`)
  }
  await unlock('/projects/general/drafts/ada/unheard.md', tokens[0]!)
  await unlock(file, tokens[1]!)
})

t.test('a member may hold 200 locks, and expired locks do not count', async (t) => {
  const clock = new TestClock()
  const kept = { all: () => [], put: async () => {}, remove: async () => {} } as unknown as LockStore
  const locks = new DavLocks({ clock, random: seededRandom('locks'), store: kept })
  const wanted = { memberId: 'one', isDeep: false, isShared: false, owner: { text: '', isAddress: false } }
  const take = (name: string, memberId: string) =>
    locks.add({ ...wanted, memberId, names: [name], seconds: 60 })
  for (let n = 0; n < 200; n++) await take(`${n}`, 'one')
  await t.rejects(take('more', 'one'), /Too many locks/)
  await take('more', 'two')
  clock.advance(60_000)
  await take('1', 'one')
  t.strictSame(
    locks.within([]).map(({ names }) => names),
    [['1']],
  )
})

t.test('a lock is on a name in its exact case', async (t) => {
  const [one, other] = [`${folder}/Case.md`, `${folder}/case.md`]
  for (const path of [one, other]) await put(path)
  const token = await locked(one)
  t.equal((await put(other, mate)).status, 204)
  t.equal((await ada.send('DELETE', other)).status, 204)
  t.equal((await put(one, mate)).status, 423)
  await unlock(one, token)
})

t.test('a lock survives a restart with all its properties', async (t) => {
  await ada.send('MKCOL', `${folder}/kept`)
  const token = await locked(`${folder}/kept`, ada, { Depth: 'infinity', Timeout: 'Second-600' })
  const ended = await locked(file, ada, { Timeout: 'Second-5' })
  const below = `${folder}/kept/open.md`
  t.equal((await put(below, ada, { If: `</dav${folder}/kept/> (${token})` })).status, 201)
  await workroom.restart()
  clock.advance(5_000)
  t.equal((await put(below, mate)).status, 423)
  t.match((await ada.find(below, '0'))[0]!.properties.lockdiscovery, /Ada & Co.*Second-600.*urn:uuid/)
  t.equal(
    (await put(below, ada, { If: `</dav${folder}/kept/> (${token})` })).status,
    204,
    'its holder goes on',
  )
  t.equal((await put(file, mate)).status, 204, 'the other has expired')
  t.equal((await unlock(file, ended)).status, 409)
  t.equal((await lock(`${folder}/kept`, ada, { If: `(${token})`, Timeout: 'Second-1200' }, '')).status, 200)
  await workroom.restart()
  clock.advance(1_000_000)
  t.equal((await put(below, mate)).status, 423, 'also with a longer time')
  t.equal((await unlock(`${folder}/kept`, token.slice(1, -1))).status, 204, 'also without brackets')
  await workroom.restart()
  t.equal((await put(below, mate)).status, 204)
})

t.test('each listing shows what was changed before it, however many are requested', async (t) => {
  await ada.send('MKCOL', `${folder}/listed`)
  for (const name of ['a', 'b', 'c']) await put(`${folder}/listed/${name}.md`)
  const onDisk = join(workroom.home, 'projects/general/documents/listed/a.md')
  const listed = async () => (await ada.find(`${folder}/listed`)).slice(1)
  for (let count = 1; count <= 5; count++) {
    const asked = listed()
    const text = `# Take ${'x'.repeat(count)}\n`
    writeFileSync(onDisk, text)
    for (const [entry] of await Promise.all([listed(), listed(), listed()]))
      t.equal(entry!.properties.getcontentlength, `${text.length}`)
    await asked
  }
  const token = await locked(`${folder}/listed/b.md`)
  const locks = async () => (await listed()).map(({ properties }) => properties.lockdiscovery)
  t.match(await locks(), ['', /Ada & Co/, ''])
  await unlock(`${folder}/listed/b.md`, token)
  t.strictSame(await locks(), ['', '', ''])
  t.strictSame(
    (
      await ada.find(`${folder}/listed`, '1', '<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>')
    ).map(({ properties }) => Object.keys(properties)),
    [[], ['getetag'], ['getetag'], ['getetag']],
  )
})

t.test('nothing is copied to another server or out of the mount', async (t) => {
  const to = (destination: string | undefined, headers = {}) =>
    ada.send('COPY', `${folder}/other.md`, {
      headers: { ...(destination !== undefined && { Destination: destination }), ...headers },
    })
  const cases: [destination: string | undefined, status: number][] = [
    [undefined, 400],
    ['http://elsewhere.example/dav/projects/general/documents/x.md', 502],
    ['/v1/fs/projects/general/docs/x.md', 502],
    [`/dav${folder}/../x.md`, 502],
    [`/dav${folder}/%2e%2e/x.md`, 502],
    [`/dav${folder}/a%2fb.md`, 502],
    [`/dav${folder}/%ff.md`, 502],
    [`${workroom.url}/dav${folder}/one.md`, 201],
    [`https://team.example/dav${folder}/two.md`, 201],
    [`/dav${folder}/three.md`, 201],
    [`/dav${folder}/other.md`, 403],
  ]
  for (const [destination, status] of cases) t.equal((await to(destination)).status, status, `${destination}`)
  t.equal((await to(`/dav${folder}/x.md`, { Overwrite: 'maybe' })).status, 400)
  t.equal((await to(`/dav${folder}/x.md`, { Depth: '1' })).status, 400)
})
