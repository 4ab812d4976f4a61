import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { startEventLog } from '../../../core/events/events.ts'
import { openDatabase } from '../../../data/open-database.ts'
import { eventLog } from '../../../data/tables/event-log.ts'
import { eventsTable } from '../../../data/tables/events.ts'
import { seededRandom } from '../../support/seeded-random.ts'

/** A new database, which another connection can hold as another process would. */
function newDatabase(t: Test) {
  const path = join(t.testdir(), 'workroom.db')
  const database = openDatabase(path, { migrates: true })
  const other = new Sqlite(path)
  t.teardown(async () => {
    other.close()
    await database.close()
  })
  const deps = { database, loggedEvents: eventsTable(database.connection), random: seededRandom('log') }
  return { deps, epoch: () => eventLog(database.connection).epoch(), other }
}

t.test('a log begins once, and keeps its epoch', async (t) => {
  const { deps, epoch } = newDatabase(t)
  await startEventLog(deps)
  const first = epoch()
  t.match(first, /^[0-9a-f]{32}$/)
  await startEventLog(deps)
  t.equal(epoch(), first)
})

t.test('a log that has begun needs no write, which another process could prevent', async (t) => {
  const { deps, other } = newDatabase(t)
  await startEventLog(deps)
  other.exec('BEGIN IMMEDIATE')
  await startEventLog(deps)
  other.exec('ROLLBACK')
})

t.test('a new log waits for another process that holds the database', async (t) => {
  const { deps, epoch, other } = newDatabase(t)
  other.exec('BEGIN IMMEDIATE')
  const started = startEventLog(deps)
  await new Promise((resolve) => setImmediate(resolve))
  other.exec('ROLLBACK')
  await started
  t.match(epoch(), /^[0-9a-f]{32}$/)
})
