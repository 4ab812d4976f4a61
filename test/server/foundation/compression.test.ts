import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { owner, request } = workroom
const project = '/v1/fs/projects/general'
const text = `# Long\n\n${'A sentence that is said again and again. '.repeat(200)}\n`
const accepting = (encodings: string, more: Record<string, string> = {}) => ({
  headers: { 'Accept-Encoding': encodings, ...more },
})
await request('PUT', `${project}/docs/long.md`, { body: text })

t.test('texts are compressed with an encoding that the client accepts', async (t) => {
  const plain = await request('GET', `${project}/docs/long.md`)
  t.equal(plain.headers['content-encoding'], undefined, 'nothing is accepted')
  for (const [accepted, encoding] of [
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['identity', undefined],
  ] as const) {
    const { headers, text } = await request('GET', `${project}/docs/long.md`, accepting(accepted))
    t.equal(headers['content-encoding'], encoding, accepted)
    t.match(headers.vary, /Accept-Encoding/)
    t.equal(text, plain.text)
    t.equal(headers.etag, plain.headers.etag)
  }
  const browser = await new ScriptlessBrowser(workroom).signIn(owner.key)
  for (const path of ['/', '/projects/general/docs/long', '/projects/general/board']) {
    const page = await browser.send('GET', path, { Accept: 'text/html', 'Accept-Encoding': 'gzip, br' })
    t.equal(page.headers['content-encoding'], 'br', path)
    t.match(page.text, /<\/html>/)
  }
})

t.test('conditions hold for compressed and uncompressed texts', async (t) => {
  const path = `${project}/docs/long.md`
  const { etag } = (await request('GET', path, accepting('br'))).headers
  t.equal((await request('GET', path, accepting('br', { 'If-None-Match': etag! }))).status, 304)
  const write = { body: `${text}More.\n`, headers: { 'If-Match': etag! } }
  t.equal((await request('PUT', path, write)).status, 201)
  t.equal((await request('PUT', path, write)).status, 409)
})

t.test('short answers, ranges of files and WebDAV are not compressed', async (t) => {
  const { downloadUrl } = (await request('POST', `${project}/library/files?name=long.txt`, { body: text }))
    .json
  const file = await request('GET', new URL(downloadUrl).pathname, accepting('gzip'))
  t.match(file.headers, { 'content-length': String(text.length), 'accept-ranges': 'bytes' })
  t.ok(file.text === text)
  for (const path of ['/v1/fs/me/api-key', '/dav/projects/general/files/long.txt']) {
    const { status, headers } = await request('GET', path, accepting('gzip'))
    t.match([status, headers['content-encoding']], [200, undefined], path)
  }
})

t.test('the length of an answer tells another site nothing about the secrets in it', async (t) => {
  const browser = await new ScriptlessBrowser(workroom).signIn(owner.key)
  const followed = { Accept: 'text/html', 'Accept-Encoding': 'br', 'Sec-Fetch-Site': 'cross-site' }
  t.equal((await browser.send('GET', '/', followed)).headers['content-encoding'], undefined)
  const [one, other] = [await browser.csrf(), await browser.csrf()]
  t.not(one, other, 'the CSRF token differs in every answer')
  for (const token of [one, other]) {
    const headers = { 'Content-Type': 'application/json', Origin: workroom.url, 'X-CSRF-Token': token }
    const posted = await browser.send('POST', '/api/rooms/general/messages', headers, '{"body":"Hello"}')
    t.equal(posted.status, 201)
  }
  const headers = {
    'Content-Type': 'application/json',
    Origin: workroom.url,
    'X-CSRF-Token': one.slice(0, 43),
  }
  const refused = await browser.send('POST', '/api/rooms/general/messages', headers, '{"body":"Hello"}')
  t.equal(refused.status, 403)
})
