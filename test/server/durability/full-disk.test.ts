import { existsSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { basicAuthorization } from '../../support/dav-client.ts'
import { stateOf } from '../../support/home-state.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { general, put } from './writes.ts'

// Because fsync fails, every journal entry is still pending at the next start.
const disk = breakableDisk()
disk.fail('fsync', 'EIO')
const workroom = await startWorkroom(t, { faults: { tree: { fs: disk.fs }, markdown: sharedMarkdown(t) } })
const file = (name: string) => join(workroom.home, `projects/general/documents/${name}.md`)
const moveFolder = (from: string, to: string) =>
  workroom.request('MOVE', `/dav/projects/general/documents/${from}`, {
    key: undefined,
    headers: {
      Authorization: basicAuthorization(workroom.owner.key),
      Destination: `/dav/projects/general/documents/${to}`,
    },
  })
const text = async (name: string) => (await workroom.request('GET', `${general}/docs/${name}.md`)).text

t.test(
  'a start on a full disk serves writes from the journal, and places their files when there is room',
  async (t) => {
    for (const name of ['lost', 'kept']) await put(workroom, `docs/${name}.md`, `# ${name}\n\nAnswered.\n`)
    const before = stateOf(workroom.home)
    await workroom.restart(() => {
      rmSync(file('lost'))
      disk.fail('writeSync', 'ENOSPC')
    })
    t.notOk(existsSync(file('lost')))
    for (const name of ['lost', 'kept']) t.match(await text(name), /Answered/, name)
    const health = await workroom.request('GET', '/healthz')
    t.match(health, { status: 503 })
    t.match(health.text, /the last write could not be placed, because .*the disk is full/)
    t.match(await workroom.request('PUT', `${general}/docs/new.md`, { body: '# New\n' }), {
      status: 503,
      json: { message: /the disk is full/ },
    })
    await workroom.workspace.maintenance.refresh()
    t.same(stateOf(workroom.home).rows.events, before.rows.events, 'nothing counts as deleted')

    disk.mend()
    t.equal((await workroom.request('PUT', `${general}/docs/new.md`, { body: '# New\n' })).status, 201)
    t.equal(readFileSync(file('lost'), 'utf8'), '# lost\n\nAnswered.\n')
    t.match(await text('lost'), /Answered/)
    await workroom.eventually(async () => (await workroom.request('GET', '/healthz')).status === 200)
    const after = stateOf(workroom.home)
    t.equal(after.rows.events!.length, before.rows.events!.length + 1)
  },
)

t.test('pending writes survive another start on a full disk', async (t) => {
  disk.fail('fsync', 'EIO')
  await put(workroom, 'docs/twice.md', '# Twice\n\nAnswered.\n')
  await workroom.restart(() => {
    rmSync(file('twice'))
    disk.fail('writeSync', 'ENOSPC')
  })
  await workroom.restart()
  t.match(await text('twice'), /Answered/)
  await workroom.restart(() => disk.mend())
  t.equal(readFileSync(file('twice'), 'utf8'), '# Twice\n\nAnswered.\n')
})

t.test('a project whose marker was lost is read on a full disk, and marked when there is room', async (t) => {
  await put(workroom, 'docs/marked.md', '# Marked\n\nAnswered.\n')
  const before = stateOf(workroom.home)
  const marker = join(workroom.home, 'projects/general/.workroom')
  const id = readFileSync(marker, 'utf8')
  await workroom.restart(() => {
    truncateSync(marker, 0)
    disk.fail('writeSync', 'ENOSPC')
  })
  t.match(await text('marked'), /Answered/)
  t.match(await workroom.request('PUT', `${general}/docs/marked.md`, { body: '# Marked\n' }), {
    status: 503,
    json: { message: /the disk is full/ },
  })
  t.match((await workroom.request('GET', '/healthz')).text, /the disk is full/)
  await workroom.workspace.maintenance.refresh()
  t.equal(readFileSync(marker, 'utf8'), '')
  t.same(stateOf(workroom.home).rows.events, before.rows.events, 'nothing counts as deleted')

  disk.mend()
  t.equal((await workroom.request('PUT', `${general}/docs/marked.md`, { body: '# Marked\n' })).status, 201)
  t.equal(readFileSync(marker, 'utf8'), id)
})

t.test(
  'a folder whose move a power cut undid is read on a full disk, and moved when there is room',
  async (t) => {
    const folder = join(workroom.home, 'projects/general/documents')
    await put(workroom, 'docs/from/one.md', '# One\n\nAnswered.\n')
    disk.fail('fsync', 'EIO')
    t.equal((await moveFolder('from', 'to')).status, 201)
    const before = stateOf(workroom.home)
    await workroom.restart(() => {
      renameSync(join(folder, 'to'), join(folder, 'from'))
      disk.fail('renameSync', 'ENOSPC')
      disk.fail('fsync', 'ENOSPC')
    })
    t.match(await text('to/one'), /Answered/)
    t.match(await workroom.request('PUT', `${general}/docs/to/one.md`, { body: '# One\n' }), {
      status: 503,
      json: { message: /the disk is full/ },
    })
    await workroom.workspace.maintenance.refresh()
    t.same(stateOf(workroom.home).rows, before.rows, 'nothing is taken for a new document')

    disk.mend()
    t.equal((await workroom.request('PUT', `${general}/docs/to/one.md`, { body: '# One\n' })).status, 201)
    t.equal(existsSync(join(folder, 'from')), false)
    t.equal(readFileSync(join(folder, 'to/one.md'), 'utf8'), '# One\n')
    await workroom.restart()
    t.match(await text('to/one'), /# One/)
  },
)

t.test('a start can read although a move cannot be made durable', async (t) => {
  disk.fail('fsync', 'EIO')
  await put(workroom, 'docs/there/one.md', '# One\n\nAnswered.\n')
  t.equal((await moveFolder('there', 'here')).status, 201)
  await workroom.restart(() => disk.fail('fsync', 'ENOSPC'))
  t.match(await text('here/one'), /Answered/)
  await workroom.restart(() => disk.mend())
  t.match(await text('here/one'), /Answered/)
})
