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
import { diskClock } from '../../support/disk-clock.ts'
import { bodyOf, docs, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)

/** Copies as `cp -a` does, with the times. */
function copy(from: string, to: string): void {
  copyFileSync(from, to)
  const { atime, mtime } = statSync(from)
  utimesSync(to, atime, mtime)
}

t.test('a copy is a document of its own, and the original is unchanged', { buffered: true }, async (t) => {
  const { id, revision } = await workroom.put('Master')
  copy(workroom.at('documents/master.md'), workroom.at('documents/another.md'))
  const copied = await workroom.waitForEventAt('another.md')
  t.not(copied.documentId, id)
  await workroom.scan()
  t.equal(workroom.events(id).length, 1)
  const read = await workroom.request('GET', `${docs}/another.md`)
  t.equal(read.headers.etag, `"${revision}"`)
  t.match(read.text, `id: ${copied.documentId}\n`)
  t.equal((await workroom.list()).get('master.md'), id)
})

t.test(
  'a copy is still the copy if its original is edited right after copying',
  { buffered: true },
  async (t) => {
    const { id, path } = await workroom.put('Source')
    copy(workroom.at('documents/source.md'), workroom.at('documents/a-source.md'))
    writeFileSync(workroom.at('documents/source.md'), '# Source\n\nEdited.\n')
    const copied = await workroom.waitForEventAt('a-source.md')
    await workroom.waitForEvents(id, 2)
    t.not(copied.documentId, id)
    t.equal((await workroom.revisions(path)).length, 2)
    t.equal(bodyOf(await workroom.request('GET', `${docs}/a-source.md`)), '# Source\n\nText.\n')
  },
)

t.test('a hard link is a document of its own', { buffered: true }, async (t) => {
  const { id, path } = await workroom.put('Linked')
  linkSync(workroom.at('documents/linked.md'), workroom.at('documents/a-link.md'))
  const link = await workroom.waitForEventAt('a-link.md')
  t.not(link.documentId, id)
  await workroom.scan()
  t.same([workroom.events(id).length, workroom.events(link.documentId).length], [1, 1])

  writeFileSync(workroom.at('documents/a-link.md'), '# Linked\n\nThrough one name.\n')
  await workroom.waitForEvents(link.documentId, 2)
  t.equal(
    bodyOf(await workroom.request('GET', path)),
    '# Linked\n\nThrough one name.\n',
    'the other name has it',
  )
  t.equal(workroom.events(id).length, 2)

  unlinkSync(workroom.at('documents/linked.md'))
  await workroom.passDeletionDelay()
  t.equal((await workroom.waitForEvents(id, 3))[2]!.type, 'doc.delete')
  t.equal((await workroom.list()).get('a-link.md'), link.documentId)
})

t.test('a PUT to one of two hard-linked names leaves the other alone', { buffered: true }, async (t) => {
  const { path } = await workroom.put('Knot')
  linkSync(workroom.at('documents/knot.md'), workroom.at('documents/knot-link.md'))
  const { documentId } = await workroom.waitForEventAt('knot-link.md')
  t.equal((await workroom.request('PUT', path, { body: '# Knot\n\nUntied.\n' })).status, 201)
  t.equal(bodyOf(await workroom.request('GET', `${docs}/knot-link.md`)), '# Knot\n\nText.\n')
  await workroom.scan()
  t.equal(workroom.events(documentId).length, 1)
})

t.test('frontmatter cannot claim an id, an author or a date', { buffered: true }, async (t) => {
  const { id } = await workroom.put('Real')
  const bob = await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')
  const text = `---\nid: ${id}\nauthor: Bob\nauthorId: ${bob.member.id}\npublishedAt: 1999-01-01T00:00:00Z\ncolour: red\n---\n# Fake\n`
  workroom.write('documents/fake.md', text)
  const fake = await workroom.waitForEventAt('fake.md')
  t.not(fake.documentId, id)
  t.equal(fake.actorId, workroom.owner.member.id)
  const read = (await workroom.request('GET', `${docs}/fake.md`)).text
  t.match(read, `id: ${fake.documentId}\n`)
  t.match(read, 'author: Ada\n')
  t.match(read, 'colour: red\n')
  t.notMatch(read, /1999|Bob/)
  t.equal(read.match(/^id:/gm)!.length, 1)
  t.equal(readFileSync(workroom.at('documents/fake.md'), 'utf8'), text)
  t.equal((await workroom.list()).get('real.md'), id)

  const put = await workroom.request('PUT', `${docs}/forged.md`, { body: text.replace('Fake', 'Forged') })
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
      const clock = diskClock()
      const workroom = await openProjectFolder(t, { faults: { diskNow: clock.now } })
      const { id } = await workroom.put(title)
      renameSync(workroom.at(`documents/${name}.md`), workroom.at(`documents/${name}-kept.md`))
      copy(workroom.at(`documents/${name}-kept.md`), workroom.at(`documents/${name}.md`))
      // By the time that the server looks, both files are stable.
      if (isBusy) clock.hold(Date.now() + 1000)
      await workroom.waitForEvents(id, 2)
      await workroom.scan()
      const list = await workroom.list()
      t.equal(list.get(`${name}-kept.md`), id, 'the id stays with the file')
      t.not(list.get(`${name}.md`), id)
      t.equal(workroom.events(list.get(`${name}.md`)!).length, 1)
    },
  )
}
