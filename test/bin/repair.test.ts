import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { DailySnapshots } from '../../core/backup/daily-snapshots.ts'
import { repair } from '../../core/backup/repair.ts'
import { defaultConfig } from '../../core/config.ts'
import { findDifferences } from '../../core/doctor/index.ts'
import { openForCommandLine } from '../../core/workspace/command-line.ts'
import { openWorkspace } from '../../core/workspace/index.ts'
import { listSnapshots } from '../../data/backup/snapshots.ts'
import { databasePath } from '../../data/home.ts'
import { copyHome } from '../support/copy-home.ts'
import { request as send } from '../support/http-client.ts'
import { TestClock } from '../support/test-clock.ts'
import { startWorkroom } from '../support/workroom.ts'
import { runProcess, runWorkroom } from './run-workroom.ts'
import { serve } from './serve-workroom.ts'

const docs = '/v1/fs/projects/general/docs'
const workroom = await startWorkroom(t)
const folder = dirname(workroom.home)
const put = async (name: string, body: string): Promise<string> =>
  (await workroom.request('PUT', `${docs}/${name}.md`, { body })).json.id
const ids = {
  plan: await put('plan', '# Plan\n\nText.\n'),
  moved: await put('moved', '# Moved\n\nText.\n'),
  edited: await put('edited', '# Edited\n\nText.\n'),
}
/** A document's inode is recorded once its file is durable. */
function areFilesKnown(): boolean {
  const db = new Sqlite(databasePath(workroom.home), { readonly: true })
  const unknown = db.prepare('SELECT count(*) FROM documents WHERE stamp IS NULL').pluck().get()
  db.close()
  return unknown === 0
}
await workroom.eventually(areFilesKnown)
const clock = new TestClock()
const daily = new DailySnapshots({ home: workroom.home, clock, onProblem: () => {} })
daily.start()
clock.advance(10 * 60_000)
await workroom.eventually(() => listSnapshots(workroom.home).length === 1)
await daily.stop()
const later = await put('later', '# Later\n')
await workroom.close()

let count = 0
/** Copies the home, whose files have changed since its snapshot was taken. */
function changedHome(): string {
  const home = join(folder, `home-${++count}`)
  // The same files: with their inodes.
  copyHome(workroom.home, home)
  return home
}

const damages: Record<string, (path: string) => void> = {
  'a bad header': (path) => overwrite(path, 0, 100),
  'half of it': (path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096),
  'a text': (path) => writeFileSync(path, 'This is no database, whatever its name says. '.repeat(100)),
  'zero bytes': (path) => truncateSync(path, 0),
  'a page overwritten in the middle': (path) => overwrite(path, pageOf(path, 'revisions'), 4096),
  'a database of something else': (path) => {
    rmSync(path)
    const db = new Sqlite(path)
    db.exec('CREATE TABLE other (text TEXT)')
    db.close()
  },
}

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length, 'garbage!'), 0, length, at)
  closeSync(file)
}

/** Returns the offset of a table's first page. */
function pageOf(path: string, table: string): number {
  const db = new Sqlite(path)
  const page = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) as number
  db.close()
  return (page - 1) * 4096
}

const idOf = (text: string) => /^id: (\S+)$/m.exec(text)![1]

const words = /workroom\.db is broken: .*workroom repair --home /
const mend = (home: string) => repair({ home, owner: 'Ada', config: defaultConfig })

for (const [what, damage] of Object.entries(damages)) {
  t.test(
    `${what}: every command reports it, and repair rebuilds from the newest snapshot and the files`,
    async (t) => {
      const home = changedHome()
      damage(databasePath(home))
      const broken = readFileSync(databasePath(home))
      await t.rejects(findDifferences(home), { message: words }, 'doctor refuses to compare')
      if (!what.includes('in the middle')) {
        t.throws(() => openForCommandLine(home), { message: words })
        await t.rejects(openWorkspace({ home, config: defaultConfig }), { message: words })
      }
      t.ok(readFileSync(databasePath(home)).equals(broken), 'the refused commands change nothing')

      const repaired = await mend(home)
      t.match(repaired, { from: 'snapshot', kept: 5, added: 1, created: null })
      t.ok(readFileSync(join(repaired!.broken!, 'workroom.db')).equals(broken), 'the broken database is kept')
      t.same(await findDifferences(home), { findings: [], documents: 6 })
    },
  )
}

t.test('serve and doctor name the broken file and the command that repairs it', async (t) => {
  const home = changedHome()
  damages['a text']!(databasePath(home))
  for (const refused of [
    await runProcess(t, 'serve', '--port', '0', '--home', home),
    await runWorkroom('doctor', '--home', home),
  ]) {
    t.match(refused, { code: 1, stdout: '' })
    t.match(refused.stderr, words)
  }
  const repaired = await runWorkroom('repair', '--home', home)
  t.match(repaired, { code: 0, stderr: '' })
  t.match(repaired.stdout, /rebuilt from its snapshot of 20.*\n.*\n.* ids: 5\. Documents with new ids: 1\.\n/)
  const { child, ended, url } = await serve(t, home)
  const get = (path: string) => send(url, 'GET', path, { key: workroom.owner.key })
  t.equal(
    idOf((await get(`${docs}/plan.md`)).text),
    ids.plan,
    'documents keep their ids, and members their keys',
  )
  t.equal((await get(`${docs}/later.md`)).status, 200, 'a document newer than the snapshot is there')
  await t.rejects(mend(home), { code: 'conflict', message: /is served .*Stop the server/ })
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})

t.test('broken indexes are rebuilt without loss, and a sound database is left alone', async (t) => {
  const home = changedHome()
  t.equal(await mend(home), null)
  const db = new Sqlite(databasePath(home))
  db.unsafeMode().exec(`PRAGMA foreign_keys = OFF;
    DELETE FROM search_text_docsize WHERE id = (SELECT max(id) FROM search_text_docsize);
    INSERT INTO former_names SELECT id, 'gone', 'doc_gone', 0, 0 FROM projects`)
  db.close()
  t.match(await mend(home), { from: 'indexes', kept: 6, added: 0 })
  t.same((await findDifferences(home)).findings, [])
})

t.test('without a usable snapshot, repair uses the files alone and adds a new owner', async (t) => {
  const home = changedHome()
  for (const { path } of listSnapshots(home)) writeFileSync(path, 'This is no database either.')
  writeFileSync(databasePath(home), 'No database.')
  const marker = readFileSync(join(home, 'projects/general/.workroom'), 'utf8')
  t.match(await mend(home), { from: 'files', kept: 0, added: 6, created: { key: /^wr_/ } })
  t.equal(readFileSync(join(home, 'projects/general/.workroom'), 'utf8'), marker)
  t.same(await findDifferences(home), { findings: [], documents: 6 })
})

t.test('repair refuses a folder without any remains of a workspace', async (t) => {
  const none = join(folder, 'none')
  await t.rejects(mend(none), { code: 'not_found', message: /nor the remains of one/ })
  t.notOk(readdirSync(folder).includes('none'))
})

t.test('repair recognizes moved documents by their bytes or their inode', async (t) => {
  const home = join(folder, 'same-disk')
  renameSync(workroom.home, home)
  t.teardown(() => renameSync(home, workroom.home))
  const at = (name: string) => join(home, 'projects/general/documents', name)
  renameSync(at('moved.md'), at('elsewhere.md'))
  renameSync(at('edited.md'), at('edited-and-moved.md'))
  const file = openSync(at('edited-and-moved.md'), 'a')
  writeSync(file, 'And edited.\n')
  closeSync(file)
  const before = readFileSync(databasePath(home))
  writeFileSync(databasePath(home), 'No database.')
  t.match(await mend(home), { from: 'snapshot', kept: 5, added: 1 })
  const db = new Sqlite(databasePath(home), { readonly: true })
  const rows = db.prepare('SELECT path, id FROM documents WHERE deleted_ms IS NULL').all() as {
    path: string
    id: string
  }[]
  db.close()
  const byPath = new Map(rows.map(({ path, id }) => [path, id]))
  t.equal(byPath.get('documents/elsewhere.md'), ids.moved)
  t.equal(byPath.get('documents/edited-and-moved.md'), ids.edited)
  t.not(byPath.get('documents/later.md'), later, 'a document that the snapshot does not know gets a new id')
  writeFileSync(databasePath(home), before)
})
