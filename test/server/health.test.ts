import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { restoreLostDatabase } from '../../core/backup/restore-snapshot.ts'
import { listSnapshots } from '../../data/backup/snapshots.ts'
import { databasePath } from '../../data/home.ts'
import { breakableDisk, systemError } from '../support/breakable-disk.ts'
import { startWorkroom, type Workroom } from '../support/workroom.ts'

const docs = '/v1/fs/projects/general/docs'
const put = (workroom: Workroom, name: string, body = `# ${name}\n`) =>
  workroom.request('PUT', `${docs}/${name}.md`, { body })
const health = (workroom: Workroom) => workroom.request('GET', '/healthz')

async function checkProblem(
  t: Test,
  workroom: Workroom,
  problem: RegExp,
  kind: string | null,
): Promise<void> {
  const { status, json } = await health(workroom)
  t.equal(status, 503)
  t.match(json.problems, [{ problem, mend: /./ }])
  const { text } = await workroom.request('GET', '/metrics')
  t.match(text, /^workroom_problems [1-9]/m)
  if (kind === null) return
  t.match(text, new RegExp(`^workroom_writes_failing\\{kind="${kind}"\\} 1$`, 'm'))
  t.match(text, new RegExp(`^workroom_write_failures\\{kind="${kind}"\\} [1-9]`, 'm'))
}

const disk = breakableDisk()
let commitFails: string | null = null
const workroom = await startWorkroom(t, {
  faults: {
    tree: { fs: disk.fs },
    database: {
      beforeCommit: () => {
        if (commitFails) throw systemError(commitFails)
      },
    },
  },
})

t.test('health reports failing commits until one succeeds', async (t) => {
  for (const [code, words] of [
    ['SQLITE_FULL', /^Nothing can be written to the database: the disk is full$/],
    ['SQLITE_IOERR_WRITE', /^Nothing can be written to the database: the disk reported an error$/],
  ] as const) {
    commitFails = code
    t.match(await put(workroom, `failing-${code.length}`), {
      status: 503,
      json: { message: /^Nothing was written, because / },
    })
    const post = await workroom.request('POST', '/api/rooms/general/messages', { body: { body: 'Hello' } })
    t.match(post, { status: 503, json: { error: /^Nothing was written, because / } })
    await checkProblem(t, workroom, words, 'database')
    commitFails = null
    t.equal((await put(workroom, `failing-${code.length}`)).status, 201)
    t.match(await health(workroom), { status: 200, json: { ok: true } })
  }
})

t.test('health reports failing file writes, renames and flushes until they succeed', async (t) => {
  const faults = [
    ['writeSync', 'ENOSPC', 'bytes', /^The bytes of files cannot be written: .*the disk is full$/],
    ['linkSync', 'EIO', 'files', /^Files cannot be placed: .*input\/output error$/],
    ['openSync', 'EMFILE', 'bytes', /^The bytes of files cannot be written: .*too many files open$/],
  ] as const
  for (const [call, errno, kind, words] of faults) {
    disk.fail(call, errno, ([, flags]) => call !== 'openSync' || flags === 'wx')
    t.match(await put(workroom, `no-${call}`.toLowerCase()), { status: 503 })
    await checkProblem(t, workroom, words, kind)
    disk.mend()
    t.equal((await put(workroom, `no-${call}`.toLowerCase())).status, 201)
    t.equal((await health(workroom)).status, 200)
  }
  disk.fail('fsync', 'EIO')
  await put(workroom, 'flushed')
  await workroom.eventually(async () => (await health(workroom)).status === 503)
  await checkProblem(t, workroom, /^Files cannot be made durable: .*input\/output error$/, 'flush')
  disk.mend()
  await workroom.eventually(async () => (await health(workroom)).status === 200)
})

t.test('if nobody writes, the server tries a small write to learn that the disk works again', async (t) => {
  commitFails = 'SQLITE_FULL'
  await put(workroom, 'alone')
  t.equal((await health(workroom)).status, 503)
  workroom.clock.advance(10_000)
  t.equal((await health(workroom)).status, 503, 'the disk is still full')
  commitFails = null
  await workroom.eventually(async () => {
    workroom.clock.advance(10_000)
    return (await health(workroom)).status === 200
  })
})

t.test('a server starts and reads on a full disk, and ingests edits when there is room again', async (t) => {
  const path = join(workroom.home, 'projects/general/documents/flushed.md')
  const { id } = (await workroom.request('PUT', `${docs}/kept.md`, { body: '# Kept\n' })).json
  await workroom.restart(() => {
    commitFails = 'SQLITE_FULL'
    disk.fail('writeSync', 'ENOSPC')
    writeFileSync(path, '# Flushed\n\nBy hand, while the server was down.\n')
  })
  t.match((await workroom.request('GET', `${docs}/kept.md`)).text, `id: ${id}`)
  t.match(await put(workroom, 'not-kept'), { status: 503, json: { message: /the disk is full/ } })
  t.match(await workroom.request('GET', `${docs}/flushed.md`), {
    status: 503,
    json: { message: /the disk is full/ },
  })
  t.equal((await health(workroom)).status, 503)
  disk.mend()
  commitFails = null
  t.match((await workroom.request('GET', `${docs}/flushed.md`)).text, /By hand, while the server was down/)
  t.equal((await put(workroom, 'not-kept')).status, 201)
  t.equal((await health(workroom)).status, 200)
})

t.test('refusing a bad request is not a health problem', async (t) => {
  t.equal((await workroom.request('PUT', `${docs}/a%00b.md`, { body: '# A\n' })).status >= 400, true)
  t.equal((await put(workroom, 'no-title', 'Text.\n')).status >= 400, true)
  t.equal((await workroom.request('POST', '/api/rooms/general/messages', { body: { body: '' } })).status, 400)
  t.equal((await health(workroom)).status, 200)
})

t.test('health reports failing deferred writes', async (t) => {
  const db = new Sqlite(databasePath(workroom.home))
  // As when a newer version migrates the database under a running server.
  db.exec('ALTER TABLE sessions RENAME TO sessions_of_a_newer_version')
  db.exec('ALTER TABLE running_parts RENAME TO running_parts_of_a_newer_version')
  const startedMs = workroom.clock.now()
  workroom.clock.set(startedMs - 60 * 60 * 1000)
  await workroom.request('POST', '/api/rooms/general/messages', { body: { body: 'An hour ago' } })
  workroom.clock.set(startedMs)
  await workroom.request('POST', '/api/rooms/general/messages', { body: { body: 'Now' } })
  await checkProblem(t, workroom, /^Deferred writes to the database fail/, 'deferred')
  db.exec('ALTER TABLE sessions_of_a_newer_version RENAME TO sessions')
  db.exec('ALTER TABLE running_parts_of_a_newer_version RENAME TO running_parts')
  db.close()
})

/** Overwrites the first pages of a table and of its indexes. */
function damage(path: string, table: string): void {
  const db = new Sqlite(path, { readonly: true })
  const pages = db
    .prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?')
    .pluck()
    .all(table)
  db.close()
  const file = openSync(path, 'r+')
  for (const page of pages) writeSync(file, Buffer.alloc(4096, 'garbage!'), 0, 4096, (page - 1) * 4096)
  closeSync(file)
}

t.test(
  'a damaged database is found soon after the start, and reads that need it are refused with a 503',
  async (t) => {
    const workroom = await startWorkroom(t)
    await put(workroom, 'plan')
    await workroom.restart(() => damage(databasePath(workroom.home), 'comments'))
    t.equal((await health(workroom)).status, 200, 'the database is not checked yet')
    workroom.clock.advance(1000)
    await workroom.eventually(async () => (await health(workroom)).status === 503)
    await checkProblem(t, workroom, /^The database is damaged: /, null)
    t.match((await health(workroom)).json.problems[0].mend, `workroom repair --home ${workroom.home}`)
    const post = (
      await workroom.request('PUT', '/v1/fs/projects/general/posts/news.md', { body: '# News\n' })
    ).json
    const comments = await workroom.request('GET', `/v1/posts/${post.id}/comments`)
    t.match(comments, {
      status: 503,
      json: { error: 'This cannot be answered now, because the database is damaged.' },
    })
    t.equal((await workroom.request('GET', `${docs}/plan.md`)).status, 200, 'undamaged tables can be read')
  },
)

const ways: Record<string, (path: string) => void> = {
  deleted: (path) => rmSync(path),
  'moved away': (path) => renameSync(path, `${path}.away`),
  replaced(path) {
    const other = `${path}.other`
    const db = new Sqlite(other)
    db.exec('CREATE TABLE other (text TEXT)')
    db.close()
    renameSync(other, path)
  },
}

for (const [what, take] of Object.entries(ways)) {
  t.test(
    `a database that is ${what} while the server runs ends writes, and no confirmed write is lost`,
    async (t) => {
      const workroom = await startWorkroom(t)
      const path = databasePath(workroom.home)
      const { id } = (await put(workroom, 'kept')).json
      await workroom.request('POST', '/api/rooms/general/messages', { body: { body: 'Kept' } })
      take(path)
      await workroom.eventually(async () => (await health(workroom)).status === 503)
      await checkProblem(
        t,
        workroom,
        /the database file was deleted or replaced while the server ran$/,
        'database',
      )
      const refused = await put(workroom, 'lost')
      t.match(refused, {
        status: 503,
        json: { message: /because the database file was deleted or replaced/ },
      })
      t.notOk(existsSync(join(workroom.home, 'projects/general/documents/lost.md')))
      t.match((await workroom.request('GET', `${docs}/kept.md`)).text, `id: ${id}`, 'reading goes on')
      workroom.clock.advance(2000)
      await workroom.eventually(() => listSnapshots(workroom.home).length === 1)
      await workroom.restart(async () => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
        t.ok(await restoreLostDatabase(workroom.home))
      })
      t.match((await workroom.request('GET', `${docs}/kept.md`)).text, `id: ${id}`)
      const { page } = (await workroom.request('GET', '/api/rooms/general/messages')).json
      t.match(page, [{ body: 'Kept' }])
      t.equal((await health(workroom)).status, 200)
    },
  )
}
