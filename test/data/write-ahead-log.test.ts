import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { WriteAheadLog } from '../../data/write-ahead-log.ts'

/** A database with a log that no flush makes durable. */
function unflushable(t: Test) {
  const path = join(t.testdir(), 'some.db')
  const db = new Sqlite(path)
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  db.exec("CREATE TABLE texts (body TEXT); INSERT INTO texts VALUES (printf('%.*c', 1000000, 'x'))")
  const log = new WriteAheadLog(path, {
    flushLog: async () => {
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    },
    onFailure: () => {},
  })
  t.teardown(async () => {
    await log.close().catch(() => {})
    db.close()
  })
  const commit = () => {
    db.exec("INSERT INTO texts VALUES ('more')")
    log.noteCommit({ isDurable: false })
  }
  return { path, log, commit }
}

t.test(
  'while the log can be neither flushed nor copied, each flush fails with the error of the disk',
  async (t) => {
    const { path, log, commit } = unflushable(t)
    const reader = new Sqlite(path, { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM texts').get()
    for (let times = 0; times < 2; times++) {
      commit()
      await t.rejects(log.flushed(), { code: 'EIO' })
      t.ok(log.hasFailedFlush)
    }
    reader.close()
    await log.flushed()
    t.ok(log.isDurable, 'once the log can be copied')
    t.notOk(log.hasFailedFlush)
  },
)

t.test('an error of SQLite while the log is copied keeps its message and code', async (t) => {
  const { path, log, commit } = unflushable(t)
  commit()
  await log.flushed()
  commit()
  truncateSync(path, 0)
  await t.rejects(log.flushed(), new Sqlite.SqliteError('database disk image is malformed', 'SQLITE_CORRUPT'))
})
