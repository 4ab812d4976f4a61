import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { moveAcrossDisks } from '../../support/editors.ts'
import { bodyOf, docs, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const documents = '/v1/fs/projects/general/library/documents'

t.test('mv keeps id and history, and is one event with both paths', { buffered: true }, async (t) => {
  const { id, path } = await workroom.put('Before')
  renameSync(workroom.at('documents/before.md'), workroom.at('documents/after.md'))
  const [, moved] = await workroom.waitForEvents(id, 2)
  t.match(moved, { type: 'doc.write', via: 'disk' })
  t.match(moved!.detail, { path: `${documents}/after.md`, previousPath: path, changed: true })
  t.equal((await workroom.list()).get('after.md'), id)
  t.equal((await workroom.revisions(`${docs}/after.md`)).length, 1)
  await workroom.scan()
  t.equal(workroom.events(id).length, 2)
})

t.test('mv into a folder and out again keeps the id', { buffered: true }, async (t) => {
  const { id } = await workroom.put('Nomad')
  workroom.write('documents/tents/first.md', '# First\n')
  renameSync(workroom.at('documents/nomad.md'), workroom.at('documents/tents/nomad.md'))
  const [, away] = await workroom.waitForEvents(id, 2)
  t.match(away!.detail, { path: `${documents}/tents/nomad.md`, previousPath: `${documents}/nomad.md` })
  t.equal((await workroom.list()).get('tents/nomad.md'), id)
  renameSync(workroom.at('documents/tents/nomad.md'), workroom.at('documents/nomad.md'))
  const [, , back] = await workroom.waitForEvents(id, 3)
  t.match(back!.detail, { path: `${documents}/nomad.md`, previousPath: `${documents}/tents/nomad.md` })
})

t.test('a name that changes only in case keeps its document', { buffered: true }, async (t) => {
  const { id } = await workroom.put('Quiet')
  renameSync(workroom.at('documents/quiet.md'), workroom.at('documents/QUIET.md'))
  const [, moved] = await workroom.waitForEvents(id, 2)
  t.match(moved!.detail, { path: `${documents}/QUIET.md`, previousPath: `${documents}/quiet.md` })
  await workroom.scan()
  t.equal((await workroom.list()).get('QUIET.md'), id)
  t.match((await workroom.request('GET', `${docs}/quiet.md`)).text, `id: ${id}\n`)
  t.same(
    workroom.events(id).map(({ type }) => type),
    ['doc.write', 'doc.write'],
  )
})

t.test('mv between columns moves the card, and into Done closes it', { buffered: true }, async (t) => {
  const board = '/v1/fs/projects/general/board'
  const { id, number, path } = (
    await workroom.request('PUT', `${board}/02-todo/fix.md`, { body: '# Fix it\n' })
  ).json
  const name = path.split('/').at(-1)
  renameSync(workroom.at(`board/02-todo/${name}`), workroom.at(`board/04-done/${name}`))
  const [, moved] = await workroom.waitForEvents(id, 2)
  t.match(moved!.detail, { docType: 'card', path: `${board}/04-done/${name}`, previousPath: path })
  t.match((await workroom.request('GET', `${board}/04-done`)).json.cards, [{ id, status: 'closed' }])
  t.match((await workroom.request('GET', `${board}/02-todo`)).json.cards, [])
  t.equal((await workroom.revisions(`${board}/04-done/${name}`)).length, 1)
  t.match((await workroom.request('GET', `${board}/04-done/1`)).text, `id: ${id}\n`, number)
  t.equal(readFileSync(workroom.at(`board/04-done/${name}`), 'utf8'), '# Fix it\n', 'the file is unchanged')
})

t.test('mv followed at once by an edit is one change of one document', { buffered: true }, async (t) => {
  const { id, path } = await workroom.put('Draft')
  renameSync(workroom.at('documents/draft.md'), workroom.at('documents/final.md'))
  writeFileSync(workroom.at('documents/final.md'), '# Final\n\nEdited.\n')
  const [, moved] = await workroom.waitForEvents(id, 2)
  t.match(moved!.detail, { path: `${documents}/final.md`, previousPath: path, title: 'Final' })
  await workroom.scan()
  t.equal(workroom.events(id).length, 2)
  t.equal((await workroom.revisions(`${docs}/final.md`)).length, 2)
})

t.test('a move made of a copy and a removal is recognized by its bytes', { buffered: true }, async (t) => {
  const { id, path } = await workroom.put('Crate', 'Bytes that no other file has.\n')
  moveAcrossDisks(workroom.at('documents/crate.md'), workroom.at('documents/crate-moved.md'))
  const [, moved] = await workroom.waitForEvents(id, 2)
  t.match(moved!.detail, { path: `${documents}/crate-moved.md`, previousPath: path })
  t.equal((await workroom.list()).get('crate-moved.md'), id)
})

t.test(
  'if several equal files are gone, a new file with their bytes is none of them',
  { buffered: true },
  async (t) => {
    const text = '# Twin\n\nAlike.\n'
    workroom.write('documents/twin-a.md', text)
    workroom.write('documents/twin-b.md', text)
    const [a, b] = await Promise.all([
      workroom.waitForEventAt('twin-a.md'),
      workroom.waitForEventAt('twin-b.md'),
    ])
    unlinkSync(workroom.at('documents/twin-a.md'))
    unlinkSync(workroom.at('documents/twin-b.md'))
    workroom.write('documents/twin-c.md', text)
    const c = await workroom.waitForEventAt('twin-c.md')
    t.equal(new Set([a.documentId, b.documentId, c.documentId]).size, 3)
    await workroom.passDeletionDelay()
    for (const { documentId } of [a, b]) {
      const [, deleted] = await workroom.waitForEvents(documentId, 2)
      t.equal(deleted!.type, 'doc.delete')
    }
  },
)

t.test('a new file with a reused inode is a new document', { buffered: true }, async (t) => {
  const { id } = await workroom.put('Former')
  unlinkSync(workroom.at('documents/former.md'))
  workroom.write('documents/latter.md', '# Latter\n\nSomething else.\n')
  const latter = await workroom.waitForEventAt('latter.md')
  t.not(latter.documentId, id)
  await workroom.passDeletionDelay()
  t.equal((await workroom.waitForEvents(id, 2))[1]!.type, 'doc.delete')
  t.equal(workroom.events(latter.documentId).length, 1)
})

t.test(
  'mv onto another document keeps the id, and the replaced document can be restored',
  { buffered: true },
  async (t) => {
    const winner = await workroom.put('Winner')
    const loser = await workroom.put('Loser', 'Last words.\n')
    renameSync(workroom.at('documents/winner.md'), workroom.at('documents/loser.md'))
    const [, moved] = await workroom.waitForEvents(winner.id, 2)
    t.match(moved!.detail, { path: loser.path, previousPath: winner.path })
    const [, deleted] = await workroom.waitForEvents(loser.id, 2)
    t.match(deleted, { type: 'doc.delete', detail: { path: loser.path, deleted: true } })
    await workroom.scan()
    t.match([workroom.events(winner.id).length, workroom.events(loser.id).length], [2, 2])
    t.equal((await workroom.list()).get('loser.md'), winner.id)

    const restored = await workroom.request('POST', `/v1/fs/projects/general/trash/${loser.id}/_restore`)
    t.match([restored.status, restored.json], [201, { id: loser.id, filename: 'loser-2.md' }])
    t.equal(bodyOf(await workroom.request('GET', restored.json.path)), '# Loser\n\nLast words.\n')
  },
)

t.test('two files that swap names keep their ids', { buffered: true }, async (t) => {
  const left = await workroom.put('Left')
  const right = await workroom.put('Right')
  const [from, to, between] = ['left', 'right', 'between'].map((name) => workroom.at(`documents/${name}.md`))
  renameSync(from!, between!)
  renameSync(to!, from!)
  renameSync(between!, to!)
  const [, toRight] = await workroom.waitForEvents(left.id, 2)
  const [, toLeft] = await workroom.waitForEvents(right.id, 2)
  t.match(toRight!.detail, { path: right.path, previousPath: left.path })
  t.match(toLeft!.detail, { path: left.path, previousPath: right.path })
  await workroom.scan()
  t.match([workroom.events(left.id).length, workroom.events(right.id).length], [2, 2])
  const list = await workroom.list()
  t.same([list.get('left.md'), list.get('right.md')], [right.id, left.id])
  t.equal((await workroom.revisions(`${docs}/left.md`)).length, 1)
})

t.test('three files that rotate their names keep their ids', { buffered: true }, async (t) => {
  const names = ['rock', 'paper', 'scissors']
  const written = [await workroom.put('Rock'), await workroom.put('Paper'), await workroom.put('Scissors')]
  const [rock, paper, scissors, aside] = [...names, 'aside'].map((name) =>
    workroom.at(`documents/${name}.md`),
  )
  renameSync(rock!, aside!)
  renameSync(scissors!, rock!)
  renameSync(paper!, scissors!)
  renameSync(aside!, paper!)
  for (const { id } of written) await workroom.waitForEvents(id, 2)
  await workroom.scan()
  t.same(
    written.map(({ id }) => workroom.events(id).map(({ type }) => type)),
    names.map(() => ['doc.write', 'doc.write']),
  )
  const list = await workroom.list()
  t.same(
    names.map((name) => list.get(`${name}.md`)),
    [written[2]!.id, written[0]!.id, written[1]!.id],
  )
})

t.test('two files that swap names and are edited keep their ids', { buffered: true }, async (t) => {
  const one = await workroom.put('East')
  const other = await workroom.put('West')
  const [east, west, aside] = ['east', 'west', 'elsewhere'].map((name) => workroom.at(`documents/${name}.md`))
  renameSync(east!, aside!)
  renameSync(west!, east!)
  renameSync(aside!, west!)
  writeFileSync(east!, '# West\n\nEdited.\n')
  await workroom.waitForEvents(one.id, 2)
  await workroom.waitForEvents(other.id, 2)
  await workroom.scan()
  const list = await workroom.list()
  t.same([list.get('east.md'), list.get('west.md')], [other.id, one.id])
  t.match([workroom.events(one.id).length, workroom.events(other.id).length], [2, 2])
  t.equal((await workroom.revisions(`${docs}/east.md`)).length, 2)
})

t.test(
  'a document moved a moment ago can be read and written under its new name',
  { buffered: true },
  async (t) => {
    const { id, path } = await workroom.put('Hurried')
    renameSync(workroom.at('documents/hurried.md'), workroom.at('documents/arrived.md'))
    // The stat of the old name comes first, and finds it gone.
    await workroom.request('GET', path)
    t.match((await workroom.request('GET', `${docs}/arrived.md`)).text, `id: ${id}\n`)
    const put = await workroom.request('PUT', `${docs}/arrived.md`, { body: '# Hurried\n\nWritten.\n' })
    t.match([put.status, put.json], [201, { id, filename: 'arrived.md', created: false, changed: true }])
  },
)
