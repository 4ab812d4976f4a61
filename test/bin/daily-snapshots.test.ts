import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { DailySnapshots } from '../../core/backup/daily-snapshots.ts'
import { findDifferences } from '../../core/doctor/index.ts'
import { listSnapshots } from '../../data/backup/snapshots.ts'
import { copyHome } from '../support/copy-home.ts'
import { request as send } from '../support/http-client.ts'
import { TestClock } from '../support/test-clock.ts'
import { startWorkroom } from '../support/workroom.ts'
import { serve } from './serve-workroom.ts'

const docs = '/v1/fs/projects/general/docs'
const dayMs = 24 * 60 * 60 * 1000

const workroom = await startWorkroom(t)
const { request, home } = workroom
const folder = dirname(home)
const put = (path: string, body: string) => request('PUT', path, { body })
await put(`${docs}/kept.md`, '# Kept\n\nText.\n')

/** Has today's copy taken, if there is none yet. @returns when it was taken */
async function takeSnapshot(t: Test, clock: TestClock): Promise<number> {
  const daily = new DailySnapshots({ home, clock, onProblem: (problem) => t.fail(problem) })
  t.teardown(() => daily.stop())
  daily.start()
  clock.advance(10 * 60_000)
  const yesterdayMs = clock.now() - dayMs
  const takenMs = () => listSnapshots(home)[0]?.atMs ?? 0
  await workroom.eventually(() => takenMs() > yesterdayMs || null)
  return takenMs()
}

t.test('the database is copied once a day, and the newest three copies are kept', async (t) => {
  const clock = new TestClock()
  const backups = join(home, '.workroom/backups')
  mkdirSync(backups)
  const old = '2026-01-04T00-00-00-000Z.db.partial'
  for (const name of [old, `${old}-journal`]) writeFileSync(join(backups, name), '')
  for (const day of ['01', '02', '03']) writeFileSync(join(backups, `2026-01-${day}T00-00-00-000Z.db`), '')
  const takenMs = await takeSnapshot(t, clock)
  t.equal(takenMs, clock.now())
  await workroom.eventually(() => listSnapshots(home).length === 3 || null)
  t.same(
    listSnapshots(home).map(({ atMs }) => new Date(atMs).toISOString().slice(0, 10)),
    [new Date(takenMs).toISOString().slice(0, 10), '2026-01-03', '2026-01-02'],
  )
  t.equal(statSync(listSnapshots(home)[0]!.path).mode & 0o777, 0o600)
  t.equal(readdirSync(backups).length, 3, 'the remains of an interrupted copy are removed')
  t.ok(await workroom.eventually(() => clock.timerCount > 0), 'the next copy is scheduled')
})

t.test('a lost database is rebuilt from its newest sound copy, and documents keep their ids', async (t) => {
  const lost = join(folder, 'lost')
  const id = /^id: (\S+)$/m
  await takeSnapshot(t, new TestClock())
  await put(`${docs}/later.md`, '# Later\n')
  const keptId = id.exec((await request('GET', `${docs}/kept.md`)).text)![1]
  await workroom.close()
  copyHome(home, lost)
  const at = (...names: string[]) => join(lost, 'projects/general/documents', ...names)
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(lost, `.workroom/workroom.db${suffix}`), { force: true })
  writeFileSync(join(lost, '.workroom/backups/2030-01-01T00-00-00-000Z.db'), 'This is no database.')
  renameSync(at('kept.md'), at('moved.md'))

  const { child, ended, printed, url } = await serve(t, lost)
  t.match(printed, /The database was missing\. Its daily snapshot of 20/)
  t.match(printed, /kept their ids: [1-9]\d*\.\nDocuments with new ids: 1\.\n/, 'later.md has a new id')
  t.notMatch(printed, /wr_/, 'no new key is printed')
  const get = (path: string) => send(url, 'GET', path, { key: workroom.owner.key })
  t.equal(id.exec((await get(`${docs}/moved.md`)).text)![1], keptId, 'a moved document is found by its bytes')
  t.equal((await get(`${docs}/later.md`)).status, 200)
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
  t.same((await findDifferences(lost)).findings, [])
})
