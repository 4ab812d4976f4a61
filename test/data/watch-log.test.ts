import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { openDatabase } from '../../data/open-database.ts'
import { watchLog } from '../../data/watch-log.ts'
import { eventually } from '../support/eventually.ts'

t.test("another process's commits are reported until the watch ends", async (t) => {
  const path = join(t.testdir(), 'workroom.db')
  const database = openDatabase(path)
  t.teardown(() => database.close())
  const other = new Sqlite(path)
  t.teardown(() => other.close())
  other.exec('CREATE TABLE notes (text TEXT NOT NULL)')
  let [ended, calls] = [0, 0]
  const end = watchLog(path, () => ended++)
  t.teardown(watchLog(path, () => calls++))
  end()
  other.exec("INSERT INTO notes (text) VALUES ('theirs')")
  await eventually(() => calls > 0)
  t.equal(ended, 0)
})

t.test('a log that cannot be watched is not an error', async (t) => {
  watchLog(join(t.testdir(), 'missing.db'), () => t.fail('it was called'))()
})
