import {
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import t from 'tap'
import { bodyOf, docs, openProjectFolder } from '../../support/project-folder.ts'

t.jobs = 8
const desk = await openProjectFolder(t)

/** Copies as `cp -a` does, with the times. */
function copy(from: string, to: string): void {
  copyFileSync(from, to)
  const { atime, mtime } = statSync(from)
  utimesSync(to, atime, mtime)
}

t.test('a copy is a document of its own, and the original is unchanged', { buffered: true }, async (t) => {
  const { id, revision } = await desk.put('Master')
  copy(desk.at('documents/master.md'), desk.at('documents/another.md'))
  const copied = await desk.appeared('another.md')
  t.not(copied.documentId, id)
  await desk.scan()
  t.equal(desk.events(id).length, 1)
  const read = await desk.request('GET', `${docs}/another.md`)
  t.equal(read.headers.etag, `"${revision}"`)
  t.match(read.text, `id: ${copied.documentId}\n`)
  t.equal((await desk.list()).get('master.md'), id)
})

t.test(
  'a copy is still the copy if its original is edited right after copying',
  { buffered: true },
  async (t) => {
    const { id, path } = await desk.put('Source')
    copy(desk.at('documents/source.md'), desk.at('documents/a-source.md'))
    writeFileSync(desk.at('documents/source.md'), '# Source\n\nEdited.\n')
    const copied = await desk.appeared('a-source.md')
    await desk.happened(id, 2)
    t.not(copied.documentId, id)
    t.equal((await desk.revisions(path)).length, 2)
    t.equal(bodyOf(await desk.request('GET', `${docs}/a-source.md`)), '# Source\n\nText.\n')
  },
)

t.test('a hard link is a document of its own', { buffered: true }, async (t) => {
  const { id, path } = await desk.put('Linked')
  linkSync(desk.at('documents/linked.md'), desk.at('documents/a-link.md'))
  const link = await desk.appeared('a-link.md')
  t.not(link.documentId, id)
  await desk.scan()
  t.same([desk.events(id).length, desk.events(link.documentId).length], [1, 1])

  writeFileSync(desk.at('documents/a-link.md'), '# Linked\n\nThrough one name.\n')
  await desk.happened(link.documentId, 2)
  t.equal(bodyOf(await desk.request('GET', path)), '# Linked\n\nThrough one name.\n', 'the other name has it')
  t.equal(desk.events(id).length, 2)

  unlinkSync(desk.at('documents/linked.md'))
  t.equal((await desk.happened(id, 3))[2]!.type, 'doc.delete')
  t.equal((await desk.list()).get('a-link.md'), link.documentId)
})

t.test('a PUT to one of two hard-linked names leaves the other alone', { buffered: true }, async (t) => {
  const { path } = await desk.put('Knot')
  linkSync(desk.at('documents/knot.md'), desk.at('documents/knot-link.md'))
  const { documentId } = await desk.appeared('knot-link.md')
  t.equal((await desk.request('PUT', path, { body: '# Knot\n\nUntied.\n' })).status, 201)
  t.equal(bodyOf(await desk.request('GET', `${docs}/knot-link.md`)), '# Knot\n\nText.\n')
  await desk.scan()
  t.equal(desk.events(documentId).length, 1)
})

t.test('frontmatter cannot claim an id, an author or a date', { buffered: true }, async (t) => {
  const { id } = await desk.put('Real')
  const bob = await desk.addMember({ name: 'Bob', type: 'human' }, 'general')
  const text = `---\nid: ${id}\nauthor: Bob\nauthorId: ${bob.member.id}\npublishedAt: 1999-01-01T00:00:00Z\ncolour: red\n---\n# Fake\n`
  desk.write('documents/fake.md', text)
  const fake = await desk.appeared('fake.md')
  t.not(fake.documentId, id)
  t.equal(fake.actorId, desk.owner.member.id)
  const read = (await desk.request('GET', `${docs}/fake.md`)).text
  t.match(read, `id: ${fake.documentId}\n`)
  t.match(read, 'author: Ada\n')
  t.match(read, 'colour: red\n')
  t.notMatch(read, /1999|Bob/)
  t.equal(read.match(/^id:/gm)!.length, 1)
  t.equal(readFileSync(desk.at('documents/fake.md'), 'utf8'), text)
  t.equal((await desk.list()).get('real.md'), id)

  const put = await desk.request('PUT', `${docs}/forged.md`, { body: text.replace('Fake', 'Forged') })
  t.equal(put.json.created, true)
  t.not(put.json.id, id)
})

for (const [title, isBusy] of [
  ['Old', false],
  ['Older', true],
] as const) {
  const name = title.toLowerCase()
  t.test(
    `if a copy takes the name of its renamed original, the id stays with the original${isBusy ? ', also if both are seen at once' : ''}`,
    { buffered: true },
    async (t) => {
      const { id } = await desk.put(title)
      renameSync(desk.at(`documents/${name}.md`), desk.at(`documents/${name}-kept.md`))
      copy(desk.at(`documents/${name}-kept.md`), desk.at(`documents/${name}.md`))
      // Blocks the server, which runs in this process, until both files are stable.
      if (isBusy) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
      await desk.happened(id, 2)
      await desk.scan()
      const list = await desk.list()
      t.equal(list.get(`${name}-kept.md`), id, 'the id stays with the file')
      t.not(list.get(`${name}.md`), id)
      t.equal(desk.events(list.get(`${name}.md`)!).length, 1)
    },
  )
}
