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
import { runProcess, runWorkroom } from '../../bin/run-workroom.ts'
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

const workroom = await openProjectFolder(t)
await workroom.put('Plan')

t.test(
  'if the database is lost, a start says so, and a repair ingests all files without changing them',
  async (t) => {
    const workroom = await openProjectFolder(t)
    await workroom.put('Plan')
    await workroom.request('POST', '/v1/fs/projects', { body: { name: 'Garden' } })
    await workroom.request('PUT', '/v1/fs/projects/garden/docs/roses.md', { body: '# Roses\n' })
    await workroom.request('PUT', '/v1/fs/projects/general/board/02-todo/dig.md', { body: '# Dig\n' })
    await workroom.request('PUT', '/v1/fs/projects/general/board/02-todo/sow.md', { body: '# Sow\n' })
    await workroom.request('PUT', '/v1/fs/projects/general/drafts/idea.md', { body: '# Idea\n' })
    await workroom.close()
    remove(database(workroom.home))
    const before = filesIn(workroom.home)
    const markers = ['general', 'garden'].map((folder) => markerIn(workroom.home, folder))

    for (const refused of [
      await runProcess(t, 'serve', '--port', '0', '--home', workroom.home),
      await runWorkroom('init', '--name', 'Org', '--owner', 'Ada', '--home', workroom.home),
    ]) {
      t.match(refused, {
        code: 1,
        stdout: '',
        stderr: /is missing, .*garden, general.*workroom repair --home /,
      })
    }
    const repaired = await runWorkroom('repair', '--home', workroom.home)
    t.match(repaired, { code: 0, stderr: '' })
    t.match(repaired.stdout, /rebuilt from the files alone\.\n.*\n.* ids: 0\. Documents with new ids: 8\.\n/)
    t.same(filesIn(workroom.home), before)
    t.same(
      ['general', 'garden'].map((folder) => markerIn(workroom.home, folder)),
      markers,
      'projects keep their ids',
    )
    const key = repaired.stdout.match(/wr_\w{43}/)![0]
    const { child, ended, printed, url } = await serve(t, workroom.home)
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
    t.same(filesIn(workroom.home), before)
  },
)

t.test('a server with an older database ingests newer files as edits, and loses nothing', async (t) => {
  const workroom = await openProjectFolder(t)
  const edited = await workroom.put('Edited')
  const renamed = await workroom.put('Renamed')
  const deleted = await workroom.put('Deleted')
  await workroom.restart(() =>
    cpSync(database(workroom.home), join(workroom.home, 'backup'), { recursive: true }),
  )
  workroom.clock.advance(60_000)
  await workroom.request('PUT', edited.path, { body: '# Edited\n\nAfter the backup.\n' })
  await workroom.request('PUT', renamed.path, { body: '# Called otherwise\n\nText.\n' })
  await workroom.request('DELETE', deleted.path)
  const created = await workroom.put('Created')
  const ticks = eventsOf(workroom.home).map(({ tick }) => tick)
  const before = filesIn(workroom.home)
  workroom.clock.advance(60_000)

  await workroom.restart(() => {
    remove(database(workroom.home))
    renameSync(join(workroom.home, 'backup'), database(workroom.home))
  })
  t.same(filesIn(workroom.home), before)
  t.match((await workroom.request('GET', edited.path)).text, `id: ${edited.id}\n`)
  t.same(
    (await workroom.revisions(edited.path)).map(({ via }) => via),
    ['api', 'disk'],
  )
  const list = await workroom.list()
  t.notOk(list.has('deleted.md'))
  t.ok(list.has('created.md') && list.has('called-otherwise.md'))
  t.equal(bodyOf(await workroom.request('GET', created.path)), '# Created\n\nText.\n')
  const fresh = eventsOf(workroom.home).filter(({ tick }) => !ticks.includes(tick))
  t.ok(fresh.length >= 4)
  t.ok(
    fresh.every(({ tick }) => tick > Math.max(...ticks)),
    'no cursor comes before one that was issued',
  )
})

t.test('a second server on the same home does not start, and changes nothing', async (t) => {
  const before = filesIn(workroom.home)
  const count = eventsOf(workroom.home).length
  const second = await runProcess(t, 'serve', '--home', workroom.home, '--port', '0')
  t.match(second, { code: 1, stdout: '', stderr: /^workroom: .*in use by another Workroom.*\n$/ })
  await t.rejects(openWorkspace({ home: workroom.home, config: defaultConfig }), { name: 'HomeLockedError' })
  t.same(filesIn(workroom.home), before)
  t.equal(eventsOf(workroom.home).length, count)
  t.equal(
    (await workroom.request('PUT', `${docs}/plan.md`, { body: '# Plan\n\nStill served.\n' })).status,
    201,
  )
})

t.test('a database inside a project folder is refused', async (t) => {
  const within = workroom.at('documents/inner')
  await t.rejects(createWorkspace({ home: within, name: 'Inner', owner: 'Ada' }), {
    code: 'conflict',
    message: /is in a project of another workspace/,
  })
  t.notOk(readdirSync(workroom.at('documents')).includes('inner'))

  await workroom.close()
  const moved = workroom.at('files/sidecar')
  mkdirSync(workroom.at('files'), { recursive: true })
  renameSync(database(workroom.home), moved)
  symlinkSync(moved, database(workroom.home))
  await t.rejects(openWorkspace({ home: workroom.home, config: defaultConfig }), {
    code: 'conflict',
    message: /is in a project's folder/,
  })
  unlinkSync(database(workroom.home))
  renameSync(moved, database(workroom.home))
  await workroom.restart()
  t.equal((await workroom.request('GET', '/healthz')).status, 200)
})

t.test('a file that is not a database stops the start with a message, and nothing is touched', async (t) => {
  await workroom.close()
  const before = filesIn(workroom.home)
  const file = join(database(workroom.home), 'workroom.db')
  const bytes = readFileSync(file)
  for (const suffix of ['-wal', '-shm']) remove(file + suffix)
  writeFileSync(file, 'This is no database, whatever its name says. '.repeat(100))
  const refused = await runProcess(t, 'serve', '--home', workroom.home, '--port', '0')
  t.match(refused, {
    code: 1,
    stdout: '',
    stderr: /^workroom: .*workroom\.db is broken: .*not a database.*workroom repair.*\n$/,
  })
  t.same(filesIn(workroom.home), before)
  t.match(readFileSync(file, 'utf8'), /^This is no database/)
  writeFileSync(file, bytes)
  await workroom.restart()
  t.equal((await workroom.request('GET', `${docs}/plan.md`)).status, 200)
})

t.test('cursors rise even if the clock steps back', async (t) => {
  const { id, path } = await workroom.put('Hours')
  const before = eventsOf(workroom.home).at(-1)!
  t.equal(before.documentId, id)
  workroom.clock.advance(-60 * 60 * 1000)
  for (let round = 1; round <= 3; round++) {
    await workroom.request('PUT', path, { body: `# Hours\n\nRound ${round}.\n` })
    const last = eventsOf(workroom.home).at(-1)!
    t.match(last, { documentId: id, via: 'api' }, 'the last event is the newest')
  }
  await workroom.restart(() => {
    workroom.clock.advance(-24 * 60 * 60 * 1000)
    writeFileSync(workroom.at('documents/hours.md'), '# Hours\n\nBy hand.\n')
  })
  const last = eventsOf(workroom.home).at(-1)!
  t.match(last, { documentId: id, via: 'disk' })
  t.ok(last.atMs < before.atMs, 'the event has the time of the clock')
  t.equal(workroom.events(id).length, 5)
})
