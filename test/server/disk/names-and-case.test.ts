import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bodyOf, docs, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const nfc = 'Grüße'.normalize('NFC')
const nfd = 'Grüße'.normalize('NFD')

const get = (name: string) => workroom.request('GET', `${docs}/${encodeURIComponent(name)}`)
const names = () => readdirSync(workroom.at('documents'))

t.test('either Unicode form of a name finds the file, and the file keeps its name', async (t) => {
  workroom.write(`documents/${nfd}.md`, '# Greetings\n')
  await workroom.scan()
  const [a, b] = [await get(`${nfc}.md`), await get(`${nfd}.md`)]
  t.match([a.status, b.status], [200, 200])
  t.equal(a.headers.etag, b.headers.etag)
  const put = await workroom.request('PUT', `${docs}/${encodeURIComponent(`${nfc}.md`)}`, {
    body: '# Greetings\n\nWritten.\n',
  })
  t.match([put.status, put.json], [201, { created: false }])
  t.ok(names().includes(`${nfd}.md`))
  t.notOk(names().includes(`${nfc}.md`))
})

t.test('of names that differ by case or form alone, the exact one wins, and both work', async (t) => {
  const cases = [
    ['Zoë'.normalize('NFC'), 'Zoë'.normalize('NFD')],
    ['Plan', 'plan'],
    ['STRASSE', 'straße'],
  ]
  for (const [one, other] of cases as [string, string][]) {
    workroom.write(`documents/${one}.md`, `# One ${one.length}\n`)
    workroom.write(`documents/${other}.md`, `# Other ${other.length}\n`)
    await workroom.scan()
    t.match(bodyOf(await get(`${one}.md`)), /^# One/, one)
    t.match(bodyOf(await get(`${other}.md`)), /^# Other/, other)
    t.ok(names().includes(`${one}.md`) && names().includes(`${other}.md`))
    const put = await workroom.request('PUT', `${docs}/${encodeURIComponent(`${other}.md`)}`, {
      body: `# Other ${other.length}\n\nWritten.\n`,
    })
    t.equal(put.status, 201)
    t.match(bodyOf(await get(`${other}.md`)), /Written/)
    t.notMatch(bodyOf(await get(`${one}.md`)), /Written/)
  }
})

t.test('a name that differs from another by case or form alone is taken', async (t) => {
  workroom.write('documents/Roadmap.md', '# Something else\n')
  await workroom.scan()
  const create = await workroom.request('PUT', `${docs}/roadmap.md`, {
    body: '# Roadmap\n',
    headers: { 'If-None-Match': '*' },
  })
  t.equal(create.status, 409)
  const titled = await workroom.request('PUT', `${docs}/another-address.md`, { body: '# Roadmap\n' })
  t.match([titled.status, titled.json], [201, { created: true, filename: 'roadmap-2.md' }])
  t.notOk(names().includes('roadmap.md'))
})

t.test('a rename that changes only the case is a rename', async (t) => {
  workroom.write('documents/Notes.md', '# Notes\n')
  const { documentId } = await workroom.waitForEventAt('Notes.md')
  renameSync(workroom.at('documents/Notes.md'), workroom.at('documents/NOTES.md'))
  await workroom.waitForEvents(documentId, 2)
  renameSync(workroom.at('documents/NOTES.md'), workroom.at('documents/notes.md'))
  await workroom.waitForEvents(documentId, 3)
  t.equal((await workroom.list()).get('notes.md'), documentId)
  t.ok(workroom.events(documentId).every(({ type }) => type === 'doc.write'))
})

t.test('a folder name in another case or form is the same folder', async (t) => {
  workroom.write(`documents/${nfd}/Inner.md`, '# Inner\n')
  await workroom.scan()
  const path = `${docs}/${encodeURIComponent(nfc.toUpperCase())}`
  t.equal(bodyOf(await workroom.request('GET', `${path}/inner.md`)), '# Inner\n')
  const put = await workroom.request('PUT', `${path}/second.md`, { body: '# Second\n' })
  t.equal(put.status, 201)
  t.same(readdirSync(workroom.at(`documents/${nfd}`)), ['Inner.md', 'second.md'])
})

t.test('names in every script work', async (t) => {
  for (const name of ['日本語', '🦆 duck', 'שלום עולם', 'Ünïcödé', 'a b  c', "l'été & co"]) {
    workroom.write(`documents/${name}.md`, `# About ${name}\n`)
    const read = await get(`${name}.md`)
    t.equal(bodyOf(read), `# About ${name}\n`, name)
    const list = await workroom.list()
    t.ok(list.has(`${name}.md`), name)
    t.match((await get(list.get(`${name}.md`)!)).status, 200)
  }
  for (const title of ['日本語の計画', 'שלום', 'Ελληνικά']) {
    const put = await workroom.request('PUT', `${docs}/${encodeURIComponent(title)}.md`, {
      body: `# ${title}\n`,
    })
    t.match([put.status, (await workroom.request('GET', put.json.path)).status], [201, 200], title)
  }
})

t.test('names that are not UTF-8 or hold illegal characters are left alone and reported', async (t) => {
  const folder = Buffer.from(`${workroom.at('documents')}/`)
  const name = Buffer.from([0x62, 0x61, 0xff, 0x64, 0x2e, 0x6d, 0x64])
  writeFileSync(Buffer.concat([folder, name]), '# Bad\n')
  writeFileSync(join(workroom.at('documents'), 'back\\slash.md'), '# Backslash\n')
  writeFileSync(join(workroom.at('documents'), 'line\nbreak.md'), '# Break\n')
  await workroom.scan()
  const list = await workroom.list()
  t.notOk([...list.keys()].some((listed) => /ba.d|slash|break/.test(listed)))
  const skipped = workroom.workspace.maintenance.skippedFiles().map(({ path }) => path)
  for (const part of ['ba\uFFFDd.md', 'back\\slash.md', 'line\nbreak.md']) {
    t.ok(
      skipped.some((path) => path.endsWith(part)),
      JSON.stringify(part),
    )
  }
  t.ok(readdirSync(workroom.at('documents'), 'buffer').some((found) => found.equals(name)))
  t.equal((await workroom.request('GET', '/healthz')).status, 200)
})
