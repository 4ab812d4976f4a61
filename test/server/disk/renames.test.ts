import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { moveAcrossDisks } from '../../support/editors.ts'
import { bodyOf, docs, openProjectFolder } from '../../support/project-folder.ts'

t.jobs = 8
const desk = await openProjectFolder(t)
const documents = '/v1/fs/projects/general/library/documents'

t.test('mv keeps id and history, and is one event with both paths', { buffered: true }, async (t) => {
  const { id, path } = await desk.put('Before')
  renameSync(desk.at('documents/before.md'), desk.at('documents/after.md'))
  const [, moved] = await desk.happened(id, 2)
  t.match(moved, { type: 'doc.write', via: 'disk' })
  t.match(moved!.detail, { path: `${documents}/after.md`, previousPath: path, changed: true })
  t.equal((await desk.list()).get('after.md'), id)
  t.equal((await desk.revisions(`${docs}/after.md`)).length, 1)
  await desk.scan()
  t.equal(desk.events(id).length, 2)
})

t.test('mv into a folder and out again keeps the id', { buffered: true }, async (t) => {
  const { id } = await desk.put('Nomad')
  desk.write('documents/tents/first.md', '# First\n')
  renameSync(desk.at('documents/nomad.md'), desk.at('documents/tents/nomad.md'))
  const [, away] = await desk.happened(id, 2)
  t.match(away!.detail, { path: `${documents}/tents/nomad.md`, previousPath: `${documents}/nomad.md` })
  t.equal((await desk.list()).get('tents/nomad.md'), id)
  renameSync(desk.at('documents/tents/nomad.md'), desk.at('documents/nomad.md'))
  const [, , back] = await desk.happened(id, 3)
  t.match(back!.detail, { path: `${documents}/nomad.md`, previousPath: `${documents}/tents/nomad.md` })
})

t.test('a name that changes only in case keeps its document', { buffered: true }, async (t) => {
  const { id } = await desk.put('Quiet')
  renameSync(desk.at('documents/quiet.md'), desk.at('documents/QUIET.md'))
  const [, moved] = await desk.happened(id, 2)
  t.match(moved!.detail, { path: `${documents}/QUIET.md`, previousPath: `${documents}/quiet.md` })
  await desk.scan()
  t.equal((await desk.list()).get('QUIET.md'), id)
  t.match((await desk.request('GET', `${docs}/quiet.md`)).text, `id: ${id}\n`)
  t.same(
    desk.events(id).map(({ type }) => type),
    ['doc.write', 'doc.write'],
  )
})

t.test('mv between columns moves the card, and into Done closes it', { buffered: true }, async (t) => {
  const board = '/v1/fs/projects/general/board'
  const { id, number, path } = (await desk.request('PUT', `${board}/02-todo/fix.md`, { body: '# Fix it\n' }))
    .json
  const name = path.split('/').at(-1)
  renameSync(desk.at(`board/02-todo/${name}`), desk.at(`board/04-done/${name}`))
  const [, moved] = await desk.happened(id, 2)
  t.match(moved!.detail, { docType: 'card', path: `${board}/04-done/${name}`, previousPath: path })
  t.match((await desk.request('GET', `${board}/04-done`)).json.cards, [{ id, status: 'closed' }])
  t.match((await desk.request('GET', `${board}/02-todo`)).json.cards, [])
  t.equal((await desk.revisions(`${board}/04-done/${name}`)).length, 1)
  t.match((await desk.request('GET', `${board}/04-done/1`)).text, `id: ${id}\n`, number)
  t.equal(readFileSync(desk.at(`board/04-done/${name}`), 'utf8'), '# Fix it\n', 'the file is unchanged')
})

t.test('mv followed at once by an edit is one change of one document', { buffered: true }, async (t) => {
  const { id, path } = await desk.put('Draft')
  renameSync(desk.at('documents/draft.md'), desk.at('documents/final.md'))
  writeFileSync(desk.at('documents/final.md'), '# Final\n\nEdited.\n')
  const [, moved] = await desk.happened(id, 2)
  t.match(moved!.detail, { path: `${documents}/final.md`, previousPath: path, title: 'Final' })
  await desk.scan()
  t.equal(desk.events(id).length, 2)
  t.equal((await desk.revisions(`${docs}/final.md`)).length, 2)
})

t.test('a move made of a copy and a removal is recognized by its bytes', { buffered: true }, async (t) => {
  const { id, path } = await desk.put('Crate', 'Bytes that no other file has.\n')
  moveAcrossDisks(desk.at('documents/crate.md'), desk.at('documents/crate-moved.md'))
  const [, moved] = await desk.happened(id, 2)
  t.match(moved!.detail, { path: `${documents}/crate-moved.md`, previousPath: path })
  t.equal((await desk.list()).get('crate-moved.md'), id)
})

t.test(
  'if several equal files are gone, a new file with their bytes is none of them',
  { buffered: true },
  async (t) => {
    const text = '# Twin\n\nAlike.\n'
    desk.write('documents/twin-a.md', text)
    desk.write('documents/twin-b.md', text)
    const [a, b] = await Promise.all([desk.appeared('twin-a.md'), desk.appeared('twin-b.md')])
    unlinkSync(desk.at('documents/twin-a.md'))
    unlinkSync(desk.at('documents/twin-b.md'))
    desk.write('documents/twin-c.md', text)
    const c = await desk.appeared('twin-c.md')
    t.equal(new Set([a.documentId, b.documentId, c.documentId]).size, 3)
    for (const { documentId } of [a, b]) {
      const [, deleted] = await desk.happened(documentId, 2)
      t.equal(deleted!.type, 'doc.delete')
    }
  },
)

t.test('a new file with a reused inode is a new document', { buffered: true }, async (t) => {
  const { id } = await desk.put('Former')
  unlinkSync(desk.at('documents/former.md'))
  desk.write('documents/latter.md', '# Latter\n\nSomething else.\n')
  const latter = await desk.appeared('latter.md')
  t.not(latter.documentId, id)
  t.equal((await desk.happened(id, 2))[1]!.type, 'doc.delete')
  t.equal(desk.events(latter.documentId).length, 1)
})

t.test(
  'mv onto another document keeps the id, and the replaced document can be restored',
  { buffered: true },
  async (t) => {
    const winner = await desk.put('Winner')
    const loser = await desk.put('Loser', 'Last words.\n')
    renameSync(desk.at('documents/winner.md'), desk.at('documents/loser.md'))
    const [, moved] = await desk.happened(winner.id, 2)
    t.match(moved!.detail, { path: loser.path, previousPath: winner.path })
    const [, deleted] = await desk.happened(loser.id, 2)
    t.match(deleted, { type: 'doc.delete', detail: { path: loser.path, deleted: true } })
    await desk.scan()
    t.match([desk.events(winner.id).length, desk.events(loser.id).length], [2, 2])
    t.equal((await desk.list()).get('loser.md'), winner.id)

    const restored = await desk.request('POST', `/v1/fs/projects/general/trash/${loser.id}/_restore`)
    t.match([restored.status, restored.json], [201, { id: loser.id, filename: 'loser-2.md' }])
    t.equal(bodyOf(await desk.request('GET', restored.json.path)), '# Loser\n\nLast words.\n')
  },
)

t.test('two files that swap names keep their ids', { buffered: true }, async (t) => {
  const left = await desk.put('Left')
  const right = await desk.put('Right')
  const [from, to, between] = ['left', 'right', 'between'].map((name) => desk.at(`documents/${name}.md`))
  renameSync(from!, between!)
  renameSync(to!, from!)
  renameSync(between!, to!)
  const [, toRight] = await desk.happened(left.id, 2)
  const [, toLeft] = await desk.happened(right.id, 2)
  t.match(toRight!.detail, { path: right.path, previousPath: left.path })
  t.match(toLeft!.detail, { path: left.path, previousPath: right.path })
  await desk.scan()
  t.match([desk.events(left.id).length, desk.events(right.id).length], [2, 2])
  const list = await desk.list()
  t.same([list.get('left.md'), list.get('right.md')], [right.id, left.id])
  t.equal((await desk.revisions(`${docs}/left.md`)).length, 1)
})

t.test('three files that rotate their names keep their ids', { buffered: true }, async (t) => {
  const names = ['rock', 'paper', 'scissors']
  const written = [await desk.put('Rock'), await desk.put('Paper'), await desk.put('Scissors')]
  const [rock, paper, scissors, aside] = [...names, 'aside'].map((name) => desk.at(`documents/${name}.md`))
  renameSync(rock!, aside!)
  renameSync(scissors!, rock!)
  renameSync(paper!, scissors!)
  renameSync(aside!, paper!)
  for (const { id } of written) await desk.happened(id, 2)
  await desk.scan()
  t.same(
    written.map(({ id }) => desk.events(id).map(({ type }) => type)),
    names.map(() => ['doc.write', 'doc.write']),
  )
  const list = await desk.list()
  t.same(
    names.map((name) => list.get(`${name}.md`)),
    [written[2]!.id, written[0]!.id, written[1]!.id],
  )
})

t.test('two files that swap names and are edited keep their ids', { buffered: true }, async (t) => {
  const one = await desk.put('East')
  const other = await desk.put('West')
  const [east, west, aside] = ['east', 'west', 'elsewhere'].map((name) => desk.at(`documents/${name}.md`))
  renameSync(east!, aside!)
  renameSync(west!, east!)
  renameSync(aside!, west!)
  writeFileSync(east!, '# West\n\nEdited.\n')
  await desk.happened(one.id, 2)
  await desk.happened(other.id, 2)
  await desk.scan()
  const list = await desk.list()
  t.same([list.get('east.md'), list.get('west.md')], [other.id, one.id])
  t.match([desk.events(one.id).length, desk.events(other.id).length], [2, 2])
  t.equal((await desk.revisions(`${docs}/east.md`)).length, 2)
})

t.test(
  'a document moved a moment ago can be read and written under its new name',
  { buffered: true },
  async (t) => {
    const { id, path } = await desk.put('Hurried')
    renameSync(desk.at('documents/hurried.md'), desk.at('documents/arrived.md'))
    // The stat of the old name comes first, and finds it gone.
    await desk.request('GET', path)
    t.match((await desk.request('GET', `${docs}/arrived.md`)).text, `id: ${id}\n`)
    const put = await desk.request('PUT', `${docs}/arrived.md`, { body: '# Hurried\n\nWritten.\n' })
    t.match([put.status, put.json], [201, { id, filename: 'arrived.md', created: false, changed: true }])
  },
)
