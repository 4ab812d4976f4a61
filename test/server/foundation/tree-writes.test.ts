import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const project = '/v1/fs/projects/general'
const path = `${project}/docs/plan.md`

t.test('a write is answered 201 with its outcome, in the interface’s order', async (t) => {
  const { request, url } = await startWorkroom(t)
  const created = await request('PUT', path, { body: '# Plan\n\nText.\n' })
  t.equal(created.status, 201)
  t.strictSame(Object.keys(created.json), ['filename', 'path', 'id', 'url', 'created', 'changed', 'blockIds'])
  t.strictSame(Object.keys(created.json.blockIds), ['rebound', 'orphaned', 'total'])
  t.match(created.json, {
    filename: 'plan.md',
    path: `${project}/library/documents/plan.md`,
    id: /^doc_/,
    url: `${url}/projects/general/docs/plan`,
    created: true,
    changed: true,
    blockIds: { rebound: 0, orphaned: 0, total: 0 },
  })
  t.match(created.headers, { etag: /^"[0-9a-f]{20}"$/, 'x-service-url': created.json.url })
  t.equal((await request('GET', path)).headers.etag, created.headers.etag)

  const same = await request('PUT', path, { body: '# Plan\n\nText.\n' })
  t.match([same.status, same.json], [201, { id: created.json.id, created: false, changed: false }])
  const updated = await request('PUT', path, { body: '# Plan\n\nOther text.\n' })
  t.match([updated.status, updated.json], [201, { created: false, changed: true, blockIds: { rebound: 1 } }])
})

t.test('a conditional write happens only if its condition holds', async (t) => {
  const { request } = await startWorkroom(t)
  const { etag } = (await request('PUT', path, { body: '# Plan\n\nOne.\n' })).headers
  const revision = etag!.slice(1, -1)
  const put = (body: string, headers: Record<string, string>, query = '') =>
    request('PUT', path + query, { body: `# Plan\n\n${body}\n`, headers })

  const stale = await put('Nothing.', { 'If-Match': '"00000000000000000000"' })
  t.match(
    [stale.status, stale.json],
    [409, { error: 'conflict', currentRevision: revision, message: /_CONFLICT: / }],
  )
  t.equal((await put('Nothing.', {}, '?expectedRevision=00000000000000000000')).status, 409)
  t.equal(
    (await put('Nothing.', { 'If-Match': etag! }, '?expectedRevision=00000000000000000000')).status,
    409,
  )
  t.equal((await put('Nothing.', { 'If-None-Match': '*' })).status, 409)
  t.equal((await put('Nothing.', { 'If-Match': 'junk' })).status, 422)
  t.equal((await put('Nothing.', { 'If-Match': '' })).status, 422)
  t.match((await request('GET', path)).text, /One\.\n$/, 'nothing was written')

  const second = await put('Two.', { 'If-Match': `W/"${revision}-gzip"` })
  t.equal(second.status, 201)
  t.equal((await put('Three.', {}, `?expectedRevision=${second.headers['x-service-revision']}`)).status, 201)
  t.equal((await put('Four.', { 'If-Match': '*' })).status, 201)
  const absent = await request('PUT', `${project}/docs/absent.md`, {
    body: '# Absent\n',
    headers: { 'If-Match': '*' },
  })
  t.equal(absent.status, 409)
  const fresh = await request('PUT', `${project}/docs/fresh.md`, {
    body: '# Fresh\n',
    headers: { 'If-None-Match': '*' },
  })
  t.match([fresh.status, fresh.json.created], [201, true])
})

t.test('a block can be written alone, and a stale block is 409 with the current blocks', async (t) => {
  const { request } = await startWorkroom(t)
  await request('PUT', path, { body: '# Plan\n\nOne.\n\nTwo.\n' })
  const { blocks } = (await request('GET', `${path}?view=blocks`)).json
  const block = blocks.find(({ text }: { text: string }) => text === 'One.')
  t.equal(block.writable, true)
  const written = await request('PUT', `${path}?block=${block.id}`, { body: 'Uno.\n' })
  t.equal(written.status, 201)
  t.match((await request('GET', path)).text, /# Plan\n\nUno\.\n\nTwo\.\n$/)

  const stale = await request('PUT', `${path}?block=${block.id}`, { body: 'Un.' })
  t.match([stale.status, stale.json], [409, { error: 'conflict', block: block.id, blocks: Array }])
  const next = stale.json.blocks.find(({ preview }: { preview: string }) => preview === 'Uno.')
  t.equal((await request('PUT', `${path}?block=${next.id}`, { body: ' \n' })).status, 422)
})

t.test('views cannot be written, and a parameter that would be ignored is refused', async (t) => {
  const { request } = await startWorkroom(t)
  await request('PUT', path, { body: '# Plan\n' })
  for (const query of ['?view=blocks', '?view=outline&block=k1234567', '?view=']) {
    const response = await request('PUT', path + query, { body: '# Other\n' })
    t.match([response.status, response.json.message], [400, /Views are read-only; PUT the markdown/], query)
  }
  t.equal((await request('DELETE', `${path}?block=k1234567`)).status, 400)
  t.equal((await request('PUT', `${path}?block=a&block=b`, { body: 'x' })).status, 400)
  t.equal((await request('GET', path)).status, 200)
})

t.test('a file needs a title, and its size and encoding are checked', async (t) => {
  const { request } = await startWorkroom(t)
  t.match((await request('PUT', path, { body: 'No title.\n' })).json, { error: 'unprocessable' })
  t.equal((await request('PUT', path, { body: '' })).status, 422)
  t.equal((await request('PUT', path, { body: Buffer.from([0x23, 0x20, 0xff]) })).status, 422)
  const long = await request('PUT', path, { body: Buffer.alloc(2 * 1024 * 1024 + 1, '#') })
  t.match([long.status, long.json], [413, { error: 'bad_request', message: /2 MB/ }])
})

t.test('a deleted document goes to the trash and can be restored', async (t) => {
  const { request } = await startWorkroom(t)
  const { id } = (await request('PUT', path, { body: '# Plan\n' })).json
  t.equal((await request('DELETE', path, { headers: { 'If-Match': '"stale"' } })).status, 409)
  const deleted = await request('DELETE', path)
  t.strictSame([deleted.status, deleted.json], [200, { id, filename: 'plan.md', deleted: true }])
  t.equal((await request('GET', path)).status, 404)

  const [row] = (await request('GET', `${project}/trash`)).json.trash
  t.match(row, { id, filename: 'plan.md', title: 'Plan', deletedBy: 'Ada' })
  const restored = await request('POST', `${project}/trash/${id}/_restore`)
  t.match([restored.status, restored.json.id], [201, id])
  t.equal((await request('GET', path)).status, 200)
})

t.test('a published draft keeps its id and can no longer be changed', async (t) => {
  const { request } = await startWorkroom(t)
  const draft = await request('PUT', `${project}/drafts/hello.md`, { body: '# Hello\n\nWorld.\n' })
  const published = await request('POST', `${draft.json.path}/_publish`)
  t.match([published.status, published.json], [201, { id: draft.json.id, path: /\/posts\// }])
  const again = await request('PUT', published.json.path, { body: '# Hello\n\nMoon.\n' })
  t.match([again.status, again.json.message], [409, /Published posts are immutable/])
})

t.test('a card can be moved between the columns', async (t) => {
  const { request } = await startWorkroom(t)
  const { json } = await request('PUT', `${project}/board/02-todo/fix-login.md`, { body: '# Fix login\n' })
  const move = (body: object) => request('POST', `${json.path}/_move`, { body })
  for (const body of [
    {},
    { toColumn: 4 },
    { toColumn: 'done', before: 'x' },
    { toColumn: 'done', after: 1.5 },
  ]) {
    t.equal((await move(body)).status, 422, JSON.stringify(body))
  }
  t.equal((await move({ toColumn: 'later' })).status, 400)
  const moved = await move({ toColumn: '04-done' })
  t.match([moved.status, moved.json], [200, { id: json.id, number: 1, column: '04-done', moved: true }])
  t.equal((await request('GET', moved.json.path)).status, 200)
})
