import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { failing } from '../../data/tree/failing-disk.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { eventsOf } from '../../support/event-log.ts'
import { eventually } from '../../support/eventually.ts'
import { bodyOf, docs, openProjectFolder, remove } from '../../support/project-folder.ts'

// One test after another, since they share the clock.
const workroom = await openProjectFolder(t)
const documents = '/v1/fs/projects/general/library/documents'

t.test('a renamed folder takes its documents along', async (t) => {
  const ids = new Map<string, string>()
  for (const name of ['one', 'two', 'deep/three', 'deep/er/four']) {
    workroom.write(`documents/shelf/${name}.md`, `# ${name}\n`)
  }
  for (const name of ['one', 'two', 'deep/three', 'deep/er/four']) {
    ids.set(name, (await workroom.waitForEventAt(`shelf/${name}.md`)).documentId)
  }
  renameSync(workroom.at('documents/shelf'), workroom.at('documents/cupboard'))
  for (const [name, id] of ids) {
    const [, moved] = await workroom.waitForEvents(id, 2)
    t.match(moved, {
      type: 'doc.write',
      detail: {
        path: `${documents}/cupboard/${name}.md`,
        previousPath: `${documents}/shelf/${name}.md`,
      },
    })
  }
  await workroom.scan()
  for (const id of ids.values()) t.equal(workroom.events(id).length, 2)
})

t.test('a file in a folder that was made just now is found', async (t) => {
  workroom.write('documents/x/y/z/fresh.md', '# Fresh\n')
  const { documentId } = await workroom.waitForEventAt('x/y/z/fresh.md')
  const response = await workroom.request('GET', `${docs}/x/y/z/fresh.md`)
  t.match(response.text, `id: ${documentId}\n`)

  workroom.write('documents/p/q/r/asked.md', '# Asked\n')
  const asked = await workroom.request('GET', `${docs}/p/q/r/asked.md`)
  t.equal(bodyOf(asked), '# Asked\n', 'the next request finds it')
  await workroom.scan()
  t.same([workroom.eventsAt('x/y/z/fresh.md').length, workroom.eventsAt('p/q/r/asked.md').length], [1, 1])
})

t.test('rm -rf of a folder deletes each of its documents once', async (t) => {
  const names = ['a', 'b', 'sub/c'].map((name) => `doomed/${name}.md`)
  for (const name of names) workroom.write(`documents/${name}`, `# ${name}\n`)
  const ids: string[] = []
  for (const name of names) ids.push((await workroom.waitForEventAt(name)).documentId)
  remove(workroom.at('documents/doomed'))
  await workroom.passDeletionDelay()
  for (const id of ids) t.equal((await workroom.waitForEvents(id, 2))[1]!.type, 'doc.delete')
  await workroom.scan()
  for (const id of ids) t.equal(workroom.events(id).length, 2)
  const trash = (await workroom.request('GET', '/v1/fs/projects/general/trash')).json.trash as {
    id: string
  }[]
  t.ok(ids.every((id) => trash.some((row) => row.id === id)))
})

t.test('two folders that swap names keep the ids of their documents', async (t) => {
  const ids = new Map<string, string>()
  for (const name of ['left/page', 'right/page', 'left/deep/leaf', 'right/deep/leaf', 'right/own']) {
    workroom.write(`documents/${name}.md`, `# ${name}\n`)
    ids.set(name, (await workroom.waitForEventAt(`${name}.md`)).documentId)
  }
  renameSync(workroom.at('documents/left'), workroom.at('documents/between'))
  renameSync(workroom.at('documents/right'), workroom.at('documents/left'))
  renameSync(workroom.at('documents/between'), workroom.at('documents/right'))
  for (const [name, id] of ids) {
    const to = name.startsWith('left') ? name.replace('left', 'right') : name.replace('right', 'left')
    const [, moved] = await workroom.waitForEvents(id, 2)
    t.match(moved, { type: 'doc.write', detail: { path: `${documents}/${to}.md` } })
  }
  await workroom.scan()
  for (const id of ids.values()) t.equal(workroom.events(id).length, 2)
})

t.test('a new folder under projects/ that holds markdown is a new project', async (t) => {
  mkdirSync(join(workroom.home, 'projects', 'Garden Notes', 'documents'), { recursive: true })
  writeFileSync(join(workroom.home, 'projects', 'Garden Notes', 'documents', 'roses.md'), '# Roses\n')
  const read = await workroom.eventually(async () => {
    const response = await workroom.request('GET', '/v1/fs/projects/garden-notes/docs/roses.md')
    return response.status === 200 ? response : null
  })
  t.equal(bodyOf(read), '# Roses\n')
  const { projects } = (await workroom.request('GET', '/v1/fs/projects')).json
  t.match(
    projects.find(({ slug }: { slug: string }) => slug === 'garden-notes'),
    { name: 'Garden Notes' },
  )
})

t.test('a folder that moves away and back a hundred times costs few stats', async (t) => {
  const count = 200
  const disk = breakableDisk()
  const own = await openProjectFolder(t, {
    faults: { tree: { fs: disk.fs } },
    prepare(home) {
      const folder = join(home, 'projects/general/documents/shelf')
      mkdirSync(folder)
      for (let n = 0; n < count; n++) writeFileSync(join(folder, `page-${n}.md`), `# Page ${n}\n`)
    },
  })
  const before = eventsOf(own.home)
  const { documentId } = before.find(({ detail }) => detail.title === 'Page 7')!
  const aside = join(own.home, 'aside')
  let statCount = 0
  disk.replace('lstatSync', (real) => {
    statCount += 1
    return real()
  })
  for (let times = 0; times < 100; times++) {
    renameSync(own.at('documents/shelf'), aside)
    renameSync(aside, own.at('documents/shelf'))
    // The hints of one round arrive before the next one.
    await nextTurn()
  }
  await own.scan()
  disk.mend()
  // One stat of each document is one call, plus a few while the folder is away.
  t.ok(statCount < 100 * count, `${statCount} stats`)
  t.same(eventsOf(own.home).slice(before.length), [], 'no document has changed')
  t.match((await own.request('GET', `${docs}/shelf/page-7.md`)).text, `id: ${documentId}\n`)
})

t.test('a folder missing only at the moment of its listing is not reported as unreadable', async (t) => {
  let missing: string | null = null
  const fs = failing('readdirSync', 'ENOENT', (path) => {
    if (path !== missing) return false
    missing = null
    return true
  })
  const workroom = await openProjectFolder(t, { faults: { tree: { fs } } })
  workroom.write('documents/shelf/page.md', '# Page\n')
  await workroom.waitForEventAt('shelf/page.md')
  missing = workroom.at('documents/shelf')
  await workroom.scan()
  t.equal(missing, null, 'it was listed')
  const { status, text } = await workroom.request('GET', '/healthz')
  t.equal(status, 200, text)
})

t.test('a list includes files in new folders that another list is still comparing', async (t) => {
  const disk = breakableDisk()
  const workroom = await openProjectFolder(t, { faults: { tree: { fs: disk.fs } } })
  let listings = 0
  // A slow disk, so that other requests arrive during the comparison.
  disk.replace('readdirSync', (real, [path]) => {
    if (!String(path).includes('/new-')) return real()
    listings += 1
    const untilMs = performance.now() + 5
    while (performance.now() < untilMs);
    return real()
  })
  const names = Array.from({ length: 60 }, (_, number) => `new-${number}/page.md`)
  for (const name of names) workroom.write(`documents/${name}`, `# ${name}\n`)
  const first = workroom.list()
  await eventually(() => listings > 0)
  const second = workroom.list()
  for (const list of [await second, await first]) {
    t.same(
      names.filter((name) => !list.has(name)),
      [],
    )
  }
})

t.test('a read under a former name looks into no other folder', async (t) => {
  const disk = breakableDisk()
  const project = await openProjectFolder(t, { faults: { tree: { fs: disk.fs } } })
  for (const folder of ['one', 'two', 'three']) project.write(`documents/${folder}/a.md`, `# In ${folder}\n`)
  await project.put('Before')
  await project.request('PUT', `${docs}/before.md`, { body: '# After\n' })
  await project.scan()
  const others: string[] = []
  disk.replace('lstatSync', (real, [path]) => {
    if (/documents\/(one|two|three)$/.test(String(path))) others.push(String(path))
    return real()
  })
  const { status, headers } = await project.request('GET', `${docs}/before.md`)
  t.equal(status, 200)
  t.match(headers['x-service-url'], /after$/)
  t.strictSame(others, [])
})
