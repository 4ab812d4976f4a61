import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, addMember, owner, url, workspace } = workroom
const path = '/v1/fs/projects/general/links.md'
const grace = await addMember({ name: 'Grace', type: 'human' }, 'general')
const bot = await addMember({ name: 'Bot', type: 'agent' }, 'general')
const eve = await addMember({ name: 'Eve', type: 'human' })

const read = async (key = owner.key) => (await request('GET', path, { key })).text
const put = (body: string, headers = {}, key = owner.key) => request('PUT', path, { body, headers, key })
const links = async () => (await read()).split('\n').filter((line) => line.startsWith('- '))
const keyWith = async (...scopes: string[]) =>
  (await workspace.stores.members.addKey(bot.member.id, { scopes })).key

t.test('at first the list of links is empty, and the page says how to change it', async (t) => {
  const { status, headers, text } = await request('GET', path, { key: grace.key })
  t.equal(status, 200)
  t.equal(
    text,
    `# Links\n\nPages that matter to this project. To change them, PUT this file with one \`- [title](url): note\` line for each.\n`,
  )
  t.match(headers, {
    'content-type': 'text/markdown; charset=utf-8',
    'x-service-url': `${url}/projects/general/links`,
    etag: /^"[0-9a-f]{20}"$/,
  })
})

t.test('a PUT replaces the links, and headings and blank lines are skipped', async (t) => {
  const body = [
    '# Our links',
    '',
    '- [Manual](https://example.org/manual): how it works: all of it',
    '* [Wiki [old] \\]](http://example.org/a_(b)?c=d#e)',
    '  [The plan](/projects/general/docs/plan)  ',
    '## More',
    '+ [한글 🎉](<https://example.org/a b>) : ',
  ]
  const written = await put(body.join('\r\n'), {}, grace.key)
  t.equal(written.status, 201)
  t.strictSame(written.json, {
    filename: 'links.md',
    path,
    url: `${url}/projects/general/links`,
    changed: true,
  })
  t.strictSame(await links(), [
    '- [Manual](https://example.org/manual): how it works: all of it',
    '- [Wiki [old] \\]](http://example.org/a_(b)?c=d#e)',
    '- [The plan](/projects/general/docs/plan)',
    '- [한글 🎉](<https://example.org/a b>)',
  ])
  const { headers, text } = await request('GET', path)
  t.equal(headers.etag, written.headers.etag)
  t.equal((await request('GET', path, { headers: { 'If-None-Match': headers.etag! } })).status, 304)
  t.match((await put(text)).json, { changed: false }, 'what was read can be sent back')
  t.match((await put('- [Manual](https://example.org/manual)')).json, { changed: true })
  t.strictSame(await links(), ['- [Manual](https://example.org/manual)'])
  t.match((await put('\n')).json, { changed: true })
  t.strictSame(await links(), [], 'a blank body removes all')
})

t.test('a line that is no link is refused and named, and nothing is written', async (t) => {
  await put('- [Stays](https://example.org)')
  const good = '- [Good](https://example.org/good)'
  const cases: [line: string, message: RegExp][] = [
    ['Some text', /Line 2, "Some text", is not a link/],
    ['- https://example.org', /is not a link/],
    ['- [no address]()', /is not a link/],
    ['- [ ](https://example.org)', /is not a link/],
    ['- [a](https://example.org) and more', /is not a link/],
    ['---', /Line 2, "---", is not a link/],
    ['- [a](javascript:alert(1))', /has an invalid url/],
    ['- [a](<javascript:alert(1)>)', /has an invalid url/],
    ['- [a](mailto:a@example.org)', /has an invalid url/],
    ['- [a](//example.org)', /has an invalid url/],
    ['- [a](/\\\\example.org)', /has an invalid url/],
    ['- [a](https://)', /has an invalid url/],
    ['- [a](relative/path)', /has an invalid url/],
    [`- [a](https://example.org/${'x'.repeat(2000)})`, /longer than 2000 characters/],
    [`${good}\n`.repeat(500), /at most 500 links/],
    ['\n'.repeat(5000), /more than 5000 lines/],
  ]
  for (const [line, message] of cases) {
    const { status, json } = await put(`${good}\n${line}`)
    t.match([status, json], [422, { error: 'unprocessable', message }], line.slice(0, 60))
  }
  t.equal((await put('\xff\0')).status, 422)
  t.strictSame(await links(), ['- [Stays](https://example.org)'])
})

t.test('a write can be conditional on the revision that was read', async (t) => {
  await put('- [One](https://example.org/1)')
  const { headers } = await request('GET', path)
  const condition = { 'If-Match': headers.etag! }
  const outcomes = await Promise.all([
    put('- [Two](https://example.org/2)', condition),
    put('- [Three](https://example.org/3)', condition),
  ])
  t.strictSame(outcomes.map(({ status }) => status).sort(), [201, 409], 'only one is written')
  const { json } = outcomes.find(({ status }) => status === 409)!
  const current = (await request('GET', path)).headers['x-service-revision']
  t.match(json, {
    error: 'conflict',
    message: /^PAGE_CONFLICT: changed in another session/,
    currentRevision: current,
  })
  const expected = (revision: string) =>
    request('PUT', `${path}?expectedRevision=${revision}`, { body: '- [Four](https://example.org/4)' })
  t.equal((await expected('0'.repeat(20))).status, 409)
  t.equal((await expected(current as string)).status, 201)
  t.equal((await put('', { 'If-None-Match': '*' })).status, 409, 'the page exists already')
  t.equal((await put('', { 'If-Match': 'junk junk' })).status, 422)
  t.strictSame(await links(), ['- [Four](https://example.org/4)'])
})

t.test('the page of links has no blocks, no views, and no other methods', async (t) => {
  t.match((await request('PUT', `${path}?block=k1234567`, { body: 'x' })).json, { error: 'unprocessable' })
  t.equal((await request('GET', `${path}?view=blocks`)).status, 422)
  t.equal((await request('GET', `${path}?view=x`)).status, 400)
  const refused = await request('DELETE', path)
  t.match([refused.status, refused.headers.allow], [405, 'GET, HEAD, PUT'])
})

t.test('members of the project read and write the links, with the scopes for it', async (t) => {
  t.equal((await request('GET', path, { key: eve.key })).status, 403)
  t.equal((await put('', {}, eve.key)).status, 403)
  t.equal((await request('GET', '/v1/fs/projects/nothing/links.md')).status, 404)
  const reader = await keyWith('projects:read')
  const writer = await keyWith('documents:write')
  t.equal((await request('GET', path, { key: reader })).status, 200)
  t.match((await put('', {}, reader)).json, { error: 'forbidden', message: /documents:write/ })
  t.equal((await put('', {}, writer)).status, 201)
  t.match((await request('GET', path, { key: writer })).json, {
    error: 'forbidden',
    message: /projects:read/,
  })
})
