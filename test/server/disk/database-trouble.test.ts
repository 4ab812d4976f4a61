import { hash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { openWorkspace } from '../../../core/workspace/index.ts'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { workroom } from '../../bin/run-workroom.ts'
import { serve } from '../../bin/serve-workroom.ts'
import { eventsOf } from '../../support/event-log.ts'
import { request } from '../../support/http-client.ts'
import { bodyOf, docs, openProjectFolder, remove } from '../../support/project-folder.ts'

/** Every file below projects/ with its inode, time and hash, except the markers, which the server writes. */
function filesIn(home: string): Record<string, unknown> {
  const root = join(home, 'projects')
  const paths = readdirSync(root, { recursive: true }).map(String).sort()
  const files = paths.filter((path) => statSync(join(root, path)).isFile() && !path.endsWith('.workroom'))
  return Object.fromEntries(
    files.map((path) => {
      const { ino, mtimeMs } = statSync(join(root, path))
      return [path, [ino, mtimeMs, hash('sha256', readFileSync(join(root, path)))]]
    }),
  )
}

const markerIn = (home: string, folder: string) =>
  readFileSync(join(home, 'projects', folder, '.workroom'), 'utf8')

const database = (home: string) => join(home, '.workroom')

const desk = await openProjectFolder(t)
await desk.put('Plan')

t.test(
  'if the database is lost, a start says so, and a repair ingests all files without changing them',
  async (t) => {
    const desk = await openProjectFolder(t)
    await desk.put('Plan')
    await desk.request('POST', '/v1/fs/projects', { body: { name: 'Garden' } })
    await desk.request('PUT', '/v1/fs/projects/garden/docs/roses.md', { body: '# Roses\n' })
    await desk.request('PUT', '/v1/fs/projects/general/board/02-todo/dig.md', { body: '# Dig\n' })
    await desk.request('PUT', '/v1/fs/projects/general/board/02-todo/sow.md', { body: '# Sow\n' })
    await desk.request('PUT', '/v1/fs/projects/general/drafts/idea.md', { body: '# Idea\n' })
    await desk.close()
    remove(database(desk.home))
    const before = filesIn(desk.home)
    const markers = ['general', 'garden'].map((folder) => markerIn(desk.home, folder))

    for (const words of [
      ['serve', '--port', '0'],
      ['init', '--name', 'Org', '--owner', 'Ada'],
    ]) {
      const refused = await workroom(t, ...words, '--home', desk.home)
      t.match(refused, {
        code: 1,
        stdout: '',
        stderr: /is missing, .*garden, general.*workroom repair --home /,
      })
    }
    const repaired = await workroom(t, 'repair', '--home', desk.home)
    t.match(repaired, { code: 0, stderr: '' })
    t.match(repaired.stdout, /rebuilt from the files alone\.\n.*\n.* ids: 0\. Documents with new ids: 8\.\n/)
    t.same(filesIn(desk.home), before)
    t.same(
      ['general', 'garden'].map((folder) => markerIn(desk.home, folder)),
      markers,
      'projects keep their ids',
    )
    const key = repaired.stdout.match(/wr_\w{43}/)![0]
    const { child, ended, printed, url } = await serve(t, desk.home)
    t.notMatch(printed, /taken in/, 'the start has nothing to ingest')
    const get = (path: string) => request(url, 'GET', path, { key })
    t.equal(bodyOf(await get(`${docs}/plan.md`)), '# Plan\n\nText.\n')
    t.equal(bodyOf(await get('/v1/fs/projects/garden/docs/roses.md')), '# Roses\n')
    const cards: { number: number; title: string }[] = (await get('/v1/fs/projects/general/board/02-todo'))
      .json.cards
    t.same(new Set(cards.map(({ number, title }) => `${number} ${title}`)), new Set(['1 Dig', '2 Sow']))
    t.match((await get('/v1/fs/projects/general/drafts')).json.posts, [{ title: 'Idea' }])
    child.kill('SIGTERM')
    t.match(await ended, { code: 0 })
    t.same(filesIn(desk.home), before)
  },
)

t.test('a server with an older database ingests newer files as edits, and loses nothing', async (t) => {
  const desk = await openProjectFolder(t)
  const edited = await desk.put('Edited')
  const renamed = await desk.put('Renamed')
  const deleted = await desk.put('Deleted')
  await desk.restart(() => cpSync(database(desk.home), join(desk.home, 'backup'), { recursive: true }))
  desk.clock.advance(60_000)
  await desk.request('PUT', edited.path, { body: '# Edited\n\nAfter the backup.\n' })
  await desk.request('PUT', renamed.path, { body: '# Called otherwise\n\nText.\n' })
  await desk.request('DELETE', deleted.path)
  const created = await desk.put('Created')
  const ticks = eventsOf(desk.home).map(({ tick }) => tick)
  const before = filesIn(desk.home)
  desk.clock.advance(60_000)

  await desk.restart(() => {
    remove(database(desk.home))
    renameSync(join(desk.home, 'backup'), database(desk.home))
  })
  t.same(filesIn(desk.home), before)
  t.match((await desk.request('GET', edited.path)).text, `id: ${edited.id}\n`)
  t.same(
    (await desk.revisions(edited.path)).map(({ via }) => via),
    ['api', 'disk'],
  )
  const list = await desk.list()
  t.notOk(list.has('deleted.md'))
  t.ok(list.has('created.md') && list.has('called-otherwise.md'))
  t.equal(bodyOf(await desk.request('GET', created.path)), '# Created\n\nText.\n')
  const fresh = eventsOf(desk.home).filter(({ tick }) => !ticks.includes(tick))
  t.ok(fresh.length >= 4)
  t.ok(
    fresh.every(({ tick }) => tick > Math.max(...ticks)),
    'no cursor comes before one that was issued',
  )
})

t.test('a second server on the same home does not start, and changes nothing', async (t) => {
  const before = filesIn(desk.home)
  const count = eventsOf(desk.home).length
  const second = await workroom(t, 'serve', '--home', desk.home, '--port', '0')
  t.match(second, { code: 1, stdout: '', stderr: /^workroom: .*in use by another Workroom.*\n$/ })
  await t.rejects(openWorkspace({ home: desk.home, config: defaultConfig }), { name: 'HomeLockedError' })
  t.same(filesIn(desk.home), before)
  t.equal(eventsOf(desk.home).length, count)
  t.equal((await desk.request('PUT', `${docs}/plan.md`, { body: '# Plan\n\nStill served.\n' })).status, 201)
})

t.test('a database inside a project folder is refused', async (t) => {
  const within = desk.at('documents/inner')
  await t.rejects(createWorkspace({ home: within, name: 'Inner', owner: 'Ada' }), {
    code: 'conflict',
    message: /is in a project of another workspace/,
  })
  t.notOk(readdirSync(desk.at('documents')).includes('inner'))

  await desk.close()
  const moved = desk.at('files/sidecar')
  mkdirSync(desk.at('files'), { recursive: true })
  renameSync(database(desk.home), moved)
  symlinkSync(moved, database(desk.home))
  await t.rejects(openWorkspace({ home: desk.home, config: defaultConfig }), {
    code: 'conflict',
    message: /is in a project's folder/,
  })
  unlinkSync(database(desk.home))
  renameSync(moved, database(desk.home))
  await desk.restart()
  t.equal((await desk.request('GET', '/healthz')).status, 200)
})

t.test('a file that is not a database stops the start with a message, and nothing is touched', async (t) => {
  await desk.close()
  const before = filesIn(desk.home)
  const file = join(database(desk.home), 'workroom.db')
  const bytes = readFileSync(file)
  for (const suffix of ['-wal', '-shm']) remove(file + suffix)
  writeFileSync(file, 'This is no database, whatever its name says. '.repeat(100))
  const refused = await workroom(t, 'serve', '--home', desk.home, '--port', '0')
  t.match(refused, {
    code: 1,
    stdout: '',
    stderr: /^workroom: .*workroom\.db is broken: .*not a database.*workroom repair.*\n$/,
  })
  t.same(filesIn(desk.home), before)
  t.match(readFileSync(file, 'utf8'), /^This is no database/)
  writeFileSync(file, bytes)
  await desk.restart()
  t.equal((await desk.request('GET', `${docs}/plan.md`)).status, 200)
})

t.test('cursors rise even if the clock steps back', async (t) => {
  const { id, path } = await desk.put('Hours')
  const before = eventsOf(desk.home).at(-1)!
  t.equal(before.documentId, id)
  desk.clock.advance(-60 * 60 * 1000)
  for (let round = 1; round <= 3; round++) {
    await desk.request('PUT', path, { body: `# Hours\n\nRound ${round}.\n` })
    const last = eventsOf(desk.home).at(-1)!
    t.match(last, { documentId: id, via: 'api' }, 'the last event is the newest')
  }
  await desk.restart(() => {
    desk.clock.advance(-24 * 60 * 60 * 1000)
    writeFileSync(desk.at('documents/hours.md'), '# Hours\n\nBy hand.\n')
  })
  const last = eventsOf(desk.home).at(-1)!
  t.match(last, { documentId: id, via: 'disk' })
  t.ok(last.atMs < before.atMs, 'the event has the time of the clock')
  t.equal(desk.events(id).length, 5)
})
