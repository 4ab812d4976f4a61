import { mkdirSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { diskClock } from '../../support/disk-clock.ts'
import { bodyOf, docs, openProjectFolder, remove } from '../../support/project-folder.ts'

const clockOfDisk = diskClock()
// One test after another, since they share the clock.
const workroom = await openProjectFolder(t, { faults: { diskNow: clockOfDisk.now } })
const trash = '/v1/fs/projects/general/trash'

t.test('rm deletes a document after a moment, and it can be restored', async (t) => {
  const earlier = await workroom.put('Earlier')
  const { id, path } = await workroom.put('Doomed', 'Keep me.\n')
  unlinkSync(workroom.at('documents/earlier.md'))
  await workroom.scan()
  workroom.clock.advance(1)
  unlinkSync(workroom.at('documents/doomed.md'))
  t.equal((await workroom.request('GET', path)).status, 404, 'not found at once')
  await workroom.scan()
  workroom.clock.advance(1999)
  await workroom.waitForEvents(earlier.id, 2)
  t.equal(workroom.events(id).length, 1)
  workroom.clock.advance(1)
  const [, deleted] = await workroom.waitForEvents(id, 2)
  t.match(deleted, {
    type: 'doc.delete',
    via: 'disk',
    actorId: workroom.owner.member.id,
    detail: { path, deleted: true, title: 'Doomed' },
  })
  t.notOk((await workroom.list()).has('doomed.md'))
  const { json } = await workroom.request('POST', `${trash}/${id}/_restore`)
  t.match(json, { id, filename: 'doomed.md' })
  t.equal(bodyOf(await workroom.request('GET', path)), '# Doomed\n\nKeep me.\n')
})

t.test(
  'a removed file disappears at once from lists, search results and refs',
  { buffered: true },
  async (t) => {
    const project = '/v1/fs/projects/general'
    const text = 'Evanescent words.\n'
    const paths = {
      docs: 'docs/evanescent.md',
      posts: 'posts/evanescent.md',
      card: 'board/02-todo/evanescent.md',
    }
    const { id: keptId } = await workroom.put('Evanescence kept', text)
    const files: string[] = []
    for (const [kind, path] of Object.entries(paths)) {
      const title = `Evanescent ${kind}`
      const { json } = await workroom.request('PUT', `${project}/${path}`, {
        body: `# ${title}\n\n${text}\n[[Evanescence kept]]\n`,
      })
      const folder = { docs: 'documents', posts: 'posts', card: 'board/02-todo' }[kind]
      files.push(`${folder}/${json.filename}`)
    }
    const lists = {
      documents: docs,
      posts: `${project}/posts`,
      cards: `${project}/board/02-todo`,
      search: '/v1/search?q=evanescent',
      refs: `${project}/refs?q=evanescen`,
      backlinks: `${docs}/evanescence-kept.md/_backlinks`,
      feed: '/v1/projects/general/posts',
      column: `${project}/board`,
    }
    const readLists = async () => {
      const all = Object.entries(lists).map(async ([name, path]) => {
        const response = await workroom.request('GET', path)
        t.equal(response.status, 200, name)
        return [name, response.text] as const
      })
      return Object.fromEntries(await Promise.all(all))
    }
    const before = await readLists()
    for (const [name, of] of [
      ['documents', 'docs'],
      ['posts', 'posts'],
      ['cards', 'card'],
      ['search', 'docs'],
      ['search', 'posts'],
      ['refs', 'card'],
      ['backlinks', 'docs'],
      ['feed', 'posts'],
    ] as const)
      t.match(before[name], `Evanescent ${of}`, `${name} before`)
    const cardCount = (text: string): number =>
      JSON.parse(text).columns.find(({ name }: { name: string }) => name === '02-todo').count

    remove(...files.map((path) => workroom.at(path)))
    const after = await readLists()
    for (const name of Object.keys(lists)) t.notMatch(after[name], /Evanescent (?:docs|posts|card)/, name)
    t.match([after.documents, after.search, after.refs], [keptId, keptId, keptId], 'the rest is found')
    t.equal(cardCount(after.column!), cardCount(before.column!) - 1)
  },
)

for (const awayMs of [50, 1000]) {
  t.test(`the same bytes back after ${awayMs} ms are no change`, async (t) => {
    const { id, path, revision } = await workroom.put(`Brief ${awayMs}`)
    unlinkSync(workroom.at(`documents/brief-${awayMs}.md`))
    await workroom.scan()
    workroom.clock.advance(awayMs)
    workroom.write(`documents/brief-${awayMs}.md`, `# Brief ${awayMs}\n\nText.\n`)
    await workroom.passDeletionDelay()
    t.equal(workroom.events(id).length, 1)
    const read = await workroom.request('GET', path)
    t.match([read.headers.etag, read.text], [`"${revision}"`, `id: ${id}\n`])
  })

  t.test(
    `other bytes back after ${awayMs} ms are one write of the same document`,
    { buffered: true },
    async (t) => {
      const { id, path } = await workroom.put(`Changed ${awayMs}`)
      unlinkSync(workroom.at(`documents/changed-${awayMs}.md`))
      await workroom.scan()
      workroom.clock.advance(awayMs)
      workroom.write(`documents/changed-${awayMs}.md`, `# Changed ${awayMs}\n\nNew.\n`)
      await workroom.passDeletionDelay()
      t.same(
        workroom.events(id).map(({ type }) => type),
        ['doc.write', 'doc.write'],
      )
      t.equal((await workroom.revisions(path)).length, 2)
    },
  )
}

t.test('the same bytes written after the deletion are the same document', async (t) => {
  const { id, path } = await workroom.put('Prodigal')
  unlinkSync(workroom.at('documents/prodigal.md'))
  await workroom.passDeletionDelay()
  workroom.write('documents/prodigal.md', '# Prodigal\n\nText.\n')
  const [, deleted, returned] = await workroom.waitForEvents(id, 3)
  t.same([deleted!.type, returned!.type], ['doc.delete', 'doc.write'])
  t.match((await workroom.request('GET', path)).text, `id: ${id}\n`)
  t.equal((await workroom.revisions(path)).length, 1, 'its history is kept, without a new revision')
  const rows: { id: string }[] = (await workroom.request('GET', trash)).json.trash
  t.notOk(rows.some((row) => row.id === id))
})

t.test('other bytes written after the deletion are a new document', async (t) => {
  const { id, path } = await workroom.put('Phoenix')
  unlinkSync(workroom.at('documents/phoenix.md'))
  await workroom.passDeletionDelay()
  workroom.write('documents/phoenix.md', '# Phoenix\n\nRisen.\n')
  const { documentId } = await workroom.eventually(() =>
    workroom.eventsAt('phoenix.md').find((event) => event.documentId !== id),
  )
  t.match((await workroom.request('GET', path)).text, `id: ${documentId}\n`)
  const { json } = await workroom.request('POST', `${trash}/${id}/_restore`)
  t.match(json, { id, filename: 'phoenix-2.md' }, 'the old document is restored beside it')
})

t.test('leaving a Git branch and returning brings its documents back', async (t) => {
  const names = ['north', 'south', 'west']
  const ids: string[] = []
  for (const name of names) {
    workroom.write(`documents/branch/${name}.md`, `# ${name}\n`)
    ids.push((await workroom.waitForEventAt(`branch/${name}.md`)).documentId)
  }
  remove(workroom.at('documents/branch'))
  await workroom.passDeletionDelay()
  for (const id of ids) t.equal((await workroom.waitForEvents(id, 2))[1]!.type, 'doc.delete')
  for (const name of names) workroom.write(`documents/branch/${name}.md`, `# ${name}\n`)
  for (const id of ids) t.equal((await workroom.waitForEvents(id, 3))[2]!.type, 'doc.write')
  const list = await workroom.list()
  t.same(
    names.map((name) => list.get(`branch/${name}.md`)),
    ids,
  )
})

t.test('a file moved out of the document folders is deleted', async (t) => {
  const { id } = await workroom.put('Outbound')
  mkdirSync(workroom.at('files'), { recursive: true })
  renameSync(workroom.at('documents/outbound.md'), workroom.at('files/outbound.md'))
  await workroom.passDeletionDelay()
  t.equal((await workroom.waitForEvents(id, 2))[1]!.type, 'doc.delete')
  t.equal((await workroom.request('GET', `${docs}/outbound.md`)).status, 404)
  renameSync(workroom.at('files/outbound.md'), workroom.at('documents/outbound.md'))
  t.equal((await workroom.waitForEvents(id, 3))[2]!.type, 'doc.write')
})

t.test(
  'a PUT to a file that has just vanished is a deletion and a new document',
  { buffered: true },
  async (t) => {
    const { id, path } = await workroom.put('Taken')
    unlinkSync(workroom.at('documents/taken.md'))
    const put = await workroom.request('PUT', path, { body: '# Taken\n\nAnew.\n' })
    t.match([put.status, put.json], [201, { filename: 'taken.md', created: true }])
    t.equal((await workroom.waitForEvents(id, 2))[1]!.type, 'doc.delete')
    t.equal(bodyOf(await workroom.request('GET', path)), '# Taken\n\nAnew.\n')
    await workroom.passDeletionDelay()
    t.equal(bodyOf(await workroom.request('GET', path)), '# Taken\n\nAnew.\n', 'the new document stays')
    t.equal((await workroom.list()).get('taken.md'), put.json.id)
    t.same(
      workroom.events(put.json.id).map(({ type, via }) => [type, via]),
      [['doc.write', 'api']],
    )
  },
)

t.test('a folder that goes away and comes back again and again keeps its documents', async (t) => {
  workroom.write('documents/flapping/page.md', '# Flapping\n')
  const { documentId: id } = await workroom.waitForEventAt('flapping/page.md')
  const at = workroom.at('documents/flapping')
  const aside = join(workroom.home, 'aside')
  const stampOfParent = () => statSync(dirname(at)).ctimeMs
  // However long the machine takes, the folder has come and gone within the delay.
  clockOfDisk.hold()
  t.teardown(() => clockOfDisk.release())
  for (let times = 1; times <= 3; times++) {
    renameSync(at, aside)
    await workroom.scan()
    // Until the time of the last change has another stamp.
    for (const before = stampOfParent(); stampOfParent() === before; ) {
      renameSync(aside, at)
      renameSync(at, aside)
    }
    await workroom.passDeletionDelay()
    renameSync(aside, at)
    await workroom.scan()
    t.equal((await workroom.list()).get('flapping/page.md'), id)
  }
  t.notOk(workroom.events(id).some(({ type }) => type === 'doc.delete'))
})
