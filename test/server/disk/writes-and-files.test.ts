import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { saveByRename } from '../../support/editors.ts'
import { bodyOf, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const names = (start: string) =>
  readdirSync(workroom.at('documents')).filter((name) => name.startsWith(start))

t.test('a new title renames the file in one step, and the old address works for a day', async (t) => {
  const { id, path } = await workroom.put('First title')
  const put = await workroom.request('PUT', path, { body: '# First name\n\nText.\n' })
  t.match([put.status, put.json], [201, { id, filename: 'first-name.md', created: false }])
  t.same(names('first-'), ['first-name.md'])
  await workroom.scan()
  const events = workroom.events(id)
  t.same(
    events.map(({ type }) => type),
    ['doc.write', 'doc.write'],
  )
  t.match(events[1]!.detail, { path: put.json.path, previousPath: path })
  t.match((await workroom.request('GET', path)).text, `id: ${id}\n`, 'the old address')
  t.match((await workroom.request('GET', put.json.path)).text, `id: ${id}\n`)
  t.equal((await workroom.list()).get('first-name.md'), id)

  const viaOld = await workroom.request('PUT', path, { body: '# First name\n\nThrough the old one.\n' })
  t.match([viaOld.status, viaOld.json], [201, { id, filename: 'first-name.md' }])
  workroom.clock.advance(25 * 60 * 60 * 1000)
  t.equal((await workroom.request('GET', path)).status, 404, 'not after a day')
})

t.test('a title that another file has gets a suffix, and that file is unchanged', async (t) => {
  const one = await workroom.put('Same title')
  const other = await workroom.put('Other title')
  const put = await workroom.request('PUT', other.path, { body: '# Same title\n\nOther.\n' })
  t.match([put.status, put.json], [201, { id: other.id, filename: 'same-title-2.md' }])
  t.equal((await workroom.request('GET', one.path)).headers.etag, `"${one.revision}"`)
  t.same(names('same-').sort(), ['same-title-2.md', 'same-title.md'])

  workroom.write('documents/squatter.md', '# Nobody asked\n')
  const third = await workroom.put('Third title')
  const pushed = await workroom.request('PUT', third.path, { body: '# Squatter\n\nThird.\n' })
  t.match([pushed.status, pushed.json], [201, { id: third.id, filename: 'squatter-2.md' }])
  t.equal(readFileSync(workroom.at('documents/squatter.md'), 'utf8'), '# Nobody asked\n')
})

t.test('a new title over an unseen edit keeps the edit', async (t) => {
  const { id, path } = await workroom.put('Old heading')
  const edited = '# Old heading\n\nBy hand.\n'
  saveByRename(workroom.at('documents/old-heading.md'), edited)
  const put = await workroom.request('PUT', path, { body: '# New heading\n\nMine.\n' })
  t.match([put.status, put.json.filename], [201, 'new-heading.md'])
  t.same([names('old-heading'), names('new-heading')], [[], ['new-heading.md']])
  const revisions = await workroom.revisions(put.json.path)
  t.match(
    revisions.map(({ via }) => via),
    ['api', 'disk', 'api'],
  )
  t.equal(
    bodyOf(await workroom.request('GET', `${put.json.path}?revision=${revisions[1]!.revision}`)),
    edited,
  )
  t.equal(workroom.events(id).length, 3)
})

t.test('every spelling of a revision is accepted, and junk is refused', async (t) => {
  let { revision, path } = await workroom.put('Marked')
  let round = 0
  const put = async (header: Record<string, string>, query = '') => {
    const body = `# Marked\n\nRound ${++round}.\n`
    const response = await workroom.request('PUT', path + query, { body, headers: header })
    if (response.status === 201) revision = response.headers['x-service-revision'] as string
    return response.status
  }
  const other = '0123456789abcdef0123'
  t.equal(await put({ 'If-Match': `"${revision}"` }), 201)
  t.equal(await put({ 'If-Match': `W/"${revision}"` }), 201, 'a proxy weakened it')
  t.equal(await put({ 'If-Match': `"${revision}-gzip"` }), 201, 'a proxy compressed it')
  t.equal(await put({ 'If-Match': `W/"${revision}-gzip"` }), 201)
  t.equal(await put({ 'If-Match': revision }), 201, 'bare')
  t.equal(await put({ 'If-Match': `"${other}", W/"${revision}"` }), 201, 'in a list')
  t.equal(await put({ 'If-Match': '*' }), 201)
  t.equal(await put({}, `?expectedRevision=${revision}`), 201)
  t.equal(await put({ 'If-Match': `"${other}"` }), 409)
  const before = readFileSync(workroom.at('documents/marked.md'), 'utf8')
  for (const junk of ['', '"', 'not a revision', '""', `"${revision}`, '*, *x', '"a" "b"', ',']) {
    t.equal(await put({ 'If-Match': junk }), 422, JSON.stringify(junk))
  }
  t.equal(readFileSync(workroom.at('documents/marked.md'), 'utf8'), before)
})

t.test('a write to a block that a disk edit changed is a conflict, and writes nothing', async (t) => {
  const { id, path } = await workroom.put('Blocks', 'One.\n\nTwo.\n')
  const { blocks } = (await workroom.request('GET', `${path}?view=blocks`)).json
  const block = blocks.find(({ text }: { text: string }) => text === 'Two.').id
  const edited = '# Blocks\n\nOne.\n\nTwo, by hand.\n'
  saveByRename(workroom.at('documents/blocks.md'), edited)
  const stale = await workroom.request('PUT', `${path}?block=${block}`, { body: 'Two, mine.' })
  t.match([stale.status, stale.json], [409, { error: 'conflict', block, blocks: Array }])
  t.equal(readFileSync(workroom.at('documents/blocks.md'), 'utf8'), edited)
  const fresh = stale.json.blocks.find(({ preview }: { preview: string }) => preview === 'Two, by hand.')
  t.match(fresh, { id: /^k[0-9a-z]{7}$/, writable: true, type: 'paragraph', lines: Array })
  t.same(
    workroom.events(id).map(({ via }) => via),
    ['api', 'disk'],
  )
  t.equal((await workroom.request('PUT', `${path}?block=${fresh.id}`, { body: 'Two, mine.' })).status, 201)
  t.equal(readFileSync(workroom.at('documents/blocks.md'), 'utf8'), '# Blocks\n\nOne.\n\nTwo, mine.\n')
})
