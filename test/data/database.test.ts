import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import type { Connection, Database, DatabaseOptions } from '../../data/database.ts'
import { openDatabase } from '../../data/open-database.ts'
import { eventually } from '../support/eventually.ts'

/** Opens a database with a table of notes until the test ends. */
function openNotes(t: Test, options?: DatabaseOptions) {
  const path = join(t.testdir(), 'workroom.db')
  const database = openDatabase(path, options)
  t.teardown(() => database.close())
  database.connection.exec('CREATE TABLE notes (text TEXT NOT NULL)')
  return { database, path }
}

const write = (database: Database, text: string) => () =>
  void database.connection.prepare('INSERT INTO notes (text) VALUES (?)').run(text)

const notesIn = (connection: Connection) =>
  connection.prepare('SELECT text FROM notes ORDER BY rowid').pluck().all()

/** Runs a script with the database open as `db` in another process, at most until the test ends. */
async function neighbour(t: Test, path: string, script: string): Promise<ChildProcess> {
  const source = `
    import Sqlite from 'better-sqlite3'
    const db = new Sqlite(${JSON.stringify(path)}, { timeout: 60_000 })
    ${script}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

t.test('the writers of one turn share one commit', async (t) => {
  let commits = 0
  const { database } = openNotes(t, { beforeCommit: () => void commits++ })
  await Promise.all(['a', 'b', 'c'].map((text) => database.commit(write(database, text))))
  t.same(notesIn(database.connection), ['a', 'b', 'c'])
  t.equal(commits, 1)
})

t.test('a commit resolves with the writer’s result, and a writer sees what earlier ones wrote', async (t) => {
  const { database } = openNotes(t)
  const [, seen] = await Promise.all([
    database.commit(write(database, 'a')),
    database.commit(() => notesIn(database.connection)),
  ])
  t.same(seen, ['a'])
})

t.test('a writer that fails does not affect the others of its commit', async (t) => {
  const { database } = openNotes(t)
  const outcomes = await Promise.allSettled([
    database.commit(write(database, 'before')),
    database.commit(() => {
      write(database, 'half')()
      throw new Error('refused')
    }),
    database.commit(write(database, 'after')),
  ])
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  t.same(notesIn(database.connection), ['before', 'after'])
})

t.test(
  'work put off to the end of a transaction runs after all its writers, in the same commit',
  async (t) => {
    let commits = 0
    const { database } = openNotes(t, { beforeCommit: () => void commits++ })
    const writeAtEnd = (text: string) => () => {
      write(database, text)()
      database.atEnd(write(database, `${text} at the end`))
    }
    await Promise.all(['a', 'b'].map((text) => database.commit(writeAtEnd(text))))
    t.same(notesIn(database.connection), ['a', 'b', 'a at the end', 'b at the end'])
    t.equal(commits, 1)
    database.commitNow(writeAtEnd('c'))
    await database.commit(write(database, 'd'))
    t.same(notesIn(database.connection).slice(4), ['c', 'c at the end', 'd'], 'it runs once')
  },
)

t.test(
  'work put off by a failed writer does not run, and if it fails itself, the commit is undone',
  async (t) => {
    const { database } = openNotes(t)
    const refused = database.commit(() => {
      database.atEnd(write(database, 'refused at the end'))
      throw new Error('refused')
    })
    const kept = database.commit(() => database.atEnd(write(database, 'kept')))
    await t.rejects(refused, /refused/)
    await kept
    t.same(notesIn(database.connection), ['kept'])
    const failing = () => {
      write(database, 'lost')()
      database.atEnd(() => {
        throw new Error('the end')
      })
    }
    await t.rejects(database.commit(failing), /the end/)
    t.throws(() => database.commitNow(failing), /the end/)
    await database.commit(write(database, 'later'))
    t.same(notesIn(database.connection), ['kept', 'later'])
  },
)

t.test('a failed COMMIT rejects all its writers and stores nothing', async (t) => {
  const full = new Error('the disk is full')
  let isFull = true
  const { database } = openNotes(t, {
    beforeCommit: () => {
      if (isFull) throw full
    },
  })
  const outcomes = await Promise.allSettled([
    database.commit(write(database, 'a')),
    database.commit(write(database, 'b')),
  ])
  t.same(
    outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason),
    [full, full],
  )
  t.same(notesIn(database.connection), [])
  isFull = false
  await database.commit(write(database, 'c'))
  t.same(notesIn(database.connection), ['c'], 'the next commit works again')
})

t.test('a transaction that SQLite rolls back rejects all its writers and stores nothing', async (t) => {
  const { database } = openNotes(t)
  const outcomes = await Promise.allSettled([
    database.commit(write(database, 'a')),
    database.commit(() => {
      database.connection.exec('ROLLBACK')
      throw new Error('given up')
    }),
    database.commit(write(database, 'b')),
  ])
  t.same(
    outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
    ['given up', 'given up', 'given up'],
  )
  t.same(notesIn(database.connection), [])
})

/** Writes notes, each in a step that takes 5 ms. */
function* slowly(database: Database, texts: string[], last: () => void = () => {}) {
  for (const text of texts) {
    write(database, text)()
    for (const endMs = performance.now() + 5; performance.now() < endMs; );
    yield
  }
  last()
  return texts.length
}

t.test('a long write yields between its steps and is committed as a whole', async (t) => {
  let commits = 0
  const { database } = openNotes(t, { beforeCommit: () => void commits++ })
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  t.teardown(() => clearInterval(counting))
  const texts = ['a', 'b', 'c', 'd', 'e']
  let behind: Promise<void> | undefined
  const long = database.commitInSteps(function* () {
    behind = database.commit(write(database, 'behind'))
    return yield* slowly(database, texts, () => database.atEnd(write(database, 'at the end')))
  })
  const before = database.commit(write(database, 'before'))
  t.equal(await long, 5)
  t.ok(turns >= 3, `${turns} turns between steps`)
  await Promise.all([before, behind])
  t.same(notesIn(database.connection), ['before', ...texts, 'at the end', 'behind'])
  t.equal(commits, 3)
})

t.test('a long write that fails, at a step or at its COMMIT, stores nothing', async (t) => {
  let isFull = false
  const { database } = openNotes(t, {
    beforeCommit: () => {
      if (isFull) throw new Error('the disk is full')
    },
  })
  const refuse = () => {
    throw new Error('refused')
  }
  await t.rejects(
    database.commitInSteps(() => slowly(database, ['a', 'b'], refuse)),
    /refused/,
  )
  isFull = true
  await t.rejects(
    database.commitInSteps(() => slowly(database, ['c'])),
    /full/,
  )
  isFull = false
  await database.commit(write(database, 'kept'))
  t.same(notesIn(database.connection), ['kept'])
})

t.test('a commit waits for another process that writes, without blocking the event loop', async (t) => {
  const { database, path } = openNotes(t, { timeoutMs: 60_000 })
  const child = await neighbour(
    t,
    path,
    `db.exec("BEGIN IMMEDIATE; INSERT INTO notes (text) VALUES ('theirs')")
     process.stdin.once('data', () => { db.exec('COMMIT'); process.exit() })
     console.log('writing')`,
  )
  let isKept = false
  const kept = database.commit(write(database, 'ours')).then(() => {
    isKept = true
  })
  let turns = 0
  await eventually(() => ++turns === 5)
  t.notOk(isKept)
  child.stdin!.write('go on\n')
  await kept
  t.same(notesIn(database.connection), ['theirs', 'ours'])
})

t.test('a wait for another process ends with the time-out', async (t) => {
  const { database, path } = openNotes(t, { timeoutMs: 20 })
  const other = new Sqlite(path)
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  await t.rejects(database.commit(write(database, 'a')), { code: 'SQLITE_BUSY' })
  other.exec('ROLLBACK')
  await database.commit(write(database, 'b'))
  t.same(notesIn(database.connection), ['b'])
})

t.test("another process's change is noticed once, and our own never", async (t) => {
  const { database, path } = openNotes(t)
  await database.commit(write(database, 'ours'))
  t.notOk(database.noticeExternalChange())
  const other = new Sqlite(path)
  t.teardown(() => other.close())
  other.exec("INSERT INTO notes (text) VALUES ('theirs')")
  t.ok(database.noticeExternalChange())
  t.notOk(database.noticeExternalChange())
})

t.test('a deferred write joins the next commit', async (t) => {
  let commits = 0
  const { database } = openNotes(t, { beforeCommit: () => void commits++ })
  database.commitLater(write(database, 'later'))
  t.same(notesIn(database.connection), [])
  await database.commit(write(database, 'now'))
  t.same(notesIn(database.connection).sort(), ['later', 'now'])
  t.equal(commits, 1)
})

t.test('a deferred write that fails is reported and does not affect other writers', async (t) => {
  const failures: unknown[] = []
  const { database } = openNotes(t, { onDeferredFailure: (error) => failures.push(error) })
  database.commitLater(() => {
    throw new Error('refused')
  })
  await database.commit(write(database, 'now'))
  t.same(notesIn(database.connection), ['now'])
  t.match(failures, [{ message: 'refused' }])
})

t.test('background writers run after all others, and close waits for them', async (t) => {
  const { database, path } = openNotes(t)
  const background = ['c', 'd'].map((text) => database.commitInBackground(write(database, text)))
  const others = ['a', 'b'].map((text) => database.commit(write(database, text)))
  await Promise.all([...background, ...others])
  t.same(notesIn(database.connection), ['a', 'b', 'c', 'd'])
  const last = database.commitInBackground(write(database, 'e'))
  await database.close()
  await last
  const kept = new Sqlite(path, { readonly: true })
  t.teardown(() => kept.close())
  t.same(notesIn(kept), ['a', 'b', 'c', 'd', 'e'])
})

t.test('close commits deferred and queued writes, and those that they queue', async (t) => {
  const path = join(t.testdir(), 'workroom.db')
  const database = openDatabase(path)
  database.connection.exec('CREATE TABLE notes (text TEXT NOT NULL)')
  database.commitLater(write(database, 'deferred'))
  const queued = database.commit(write(database, 'queued'))
  const chained = queued.then(() => database.commit(write(database, 'chained')))
  const closed = queued.then(() => database.close())
  await Promise.all([chained, closed])
  const reopened = new Sqlite(path)
  t.teardown(() => reopened.close())
  t.same(notesIn(reopened).sort(), ['chained', 'deferred', 'queued'])
})

t.test('a committed write is visible to another connection', async (t) => {
  const { database, path } = openNotes(t)
  await database.commit(write(database, 'kept'))
  const other = new Sqlite(path, { readonly: true })
  t.teardown(() => other.close())
  t.same(notesIn(other), ['kept'])
})

t.test('every change listener is called', async (t) => {
  const { database } = openNotes(t)
  const calls: string[] = []
  database.onChange(() => calls.push('first'))
  database.onChange(() => calls.push('second'))
  await database.commit(write(database, 'a'))
  await eventually(() => calls.length > 0)
  t.same(calls, ['first', 'second'])
})

t.test('change listeners are called once a turn, after the commit and its resumed writers', async (t) => {
  const { database, path } = openNotes(t)
  const calls: string[] = []
  database.onChange(() => calls.push(notesIn(database.connection).join()))
  let hasGoneOn = false
  const writing = database.commit(write(database, 'a')).then(() => {
    hasGoneOn = true
    t.same(calls, [], 'the writer resumes first')
  })
  await Promise.all([writing, database.commit(write(database, 'b'))])
  await eventually(() => calls.length > 0)
  t.ok(hasGoneOn)
  t.same(calls, ['a,b'])

  const other = new Sqlite(path)
  other.exec("INSERT INTO notes (text) VALUES ('c')")
  other.close()
  t.ok(database.noticeExternalChange())
  await eventually(() => calls.length > 1)
  t.equal(calls.at(-1), 'a,b,c', 'another process’s change counts when it is noticed')
})

t.test('a commit that concerns no listener calls none and is stored', async (t) => {
  const { database } = openNotes(t)
  let calls = 0
  database.onChange(() => void calls++)
  await database.commit(write(database, 'quietly'), 'afterCommit', { publishes: false })
  await Promise.all([
    database.commit(write(database, 'too'), 'afterCommit', { publishes: false }),
    database.commit(write(database, 'aloud'), 'afterCommit'),
  ])
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(calls, 1, 'the commit shared with an ordinary writer calls them')
  t.same(notesIn(database.connection), ['quietly', 'too', 'aloud'])
})

t.test('the database is opened for durability', async (t) => {
  const { database } = openNotes(t)
  const setting = (name: string) => database.connection.pragma(name, { simple: true })
  t.equal(setting('journal_mode'), 'wal')
  t.equal(setting('synchronous'), 2, 'FULL')
  t.equal(setting('foreign_keys'), 1)
})

t.test('opening again runs no schema file twice', async (t) => {
  const { database, path } = openNotes(t)
  await database.commit(write(database, 'kept'))
  await database.close()
  const again = openDatabase(path)
  t.same(notesIn(again.connection), ['kept'])
  await again.close()
})

t.test('a migration that another process finishes meanwhile is not run again', async (t) => {
  const path = join(t.testdir(), 'workroom.db')
  const first = new Sqlite(path)
  first.pragma('journal_mode = WAL')
  first.close()
  // Its transaction is open when this process checks, and is committed while this one waits.
  const child = await neighbour(
    t,
    path,
    `import { readdirSync, readFileSync } from 'node:fs'
     const folder = new URL(${JSON.stringify(new URL('../../data/schema/', import.meta.url).href)})
     const files = readdirSync(folder).filter((name) => /^\\d/.test(name)).sort()
     for (const name of ['packed_text', 'packed_stamp']) db.function(name, { varargs: true }, () => null)
     db.exec('BEGIN IMMEDIATE')
     for (const name of files) db.exec(readFileSync(new URL(name, folder), 'utf8'))
     db.pragma('user_version = ' + files.length)
     process.stdin.once('data', () => { db.exec('COMMIT'); process.exit() })
     console.log('migrating')`,
  )
  // Written at once, and read by the other process once this one waits.
  child.stdin!.write('go on\n')
  const database = openDatabase(path)
  t.equal(database.connection.prepare('SELECT count(*) FROM members').pluck().get(), 0)
  await database.close()
})

t.test('a database of a newer version is refused and not changed', async (t) => {
  const { database, path } = openNotes(t)
  database.connection.pragma('user_version = 999')
  await database.close()
  t.throws(() => openDatabase(path), { message: /newer Workroom/ })
  const untouched = new Sqlite(path)
  t.teardown(() => untouched.close())
  t.equal(untouched.pragma('user_version', { simple: true }), 999)
})

t.test('a file that is not a database is refused', async (t) => {
  const path = join(
    t.testdir({ 'workroom.db': 'this is a letter, and no database at all'.repeat(50) }),
    'workroom.db',
  )
  t.throws(() => openDatabase(path), { code: 'SQLITE_NOTADB' })
})
