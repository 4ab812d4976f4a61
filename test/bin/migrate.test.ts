import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { backUp } from '../../core/backup/backup.ts'
import { repair } from '../../core/backup/repair.ts'
import { defaultConfig } from '../../core/config.ts'
import { findDifferences } from '../../core/doctor/index.ts'
import { migrateHome } from '../../core/home/migration.ts'
import { openForCommandLine } from '../../core/workspace/command-line.ts'
import { openWorkspace } from '../../core/workspace/index.ts'
import { databasePath } from '../../data/home.ts'
import { latestSchema } from '../../data/migrations.ts'
import { lockHome } from '../../data/tree/index.ts'
import { oldHome } from '../support/old-home.ts'
import { testFolder } from '../support/test-folder.ts'
import { runProcess, runWorkroom } from './run-workroom.ts'
import { serve } from './serve-workroom.ts'

const file = '021-former-rooms.sql'
/** The commands that open a home. */
const ways: Record<string, (home: string) => Promise<unknown>> = {
  administer: async (home) => openForCommandLine(home),
  doctor: (home) => findDifferences(home),
  backup: (home) => backUp({ home, to: `${home}-backup` }),
  repair: (home) => repair({ home, owner: 'Ada', config: defaultConfig }),
}

async function areRefused(t: Test, home: string, names: string[], message: RegExp): Promise<void> {
  const before = readFileSync(databasePath(home))
  for (const name of names) await t.rejects(ways[name]!(home), { code: 'conflict', message }, name)
  t.ok(readFileSync(databasePath(home)).equals(before), 'the database is unchanged')
}

function schemaOf(path: string): number {
  const db = new Sqlite(path, { readonly: true })
  try {
    return db.pragma('user_version', { simple: true }) as number
  } finally {
    db.close()
  }
}

function setSchema(path: string, version: number): void {
  const db = new Sqlite(path)
  db.pragma(`user_version = ${version}`)
  db.close()
}

const snapshotsIn = (home: string) =>
  readdirSync(join(home, '.workroom/backups')).filter((name) => name.startsWith('before-migration-'))

t.test('while a server of an older schema runs, every command refuses and changes nothing', async (t) => {
  const home = join(testFolder(t), 'home')
  oldHome(home, file)
  const lock = lockHome(home)
  t.teardown(() => lock.release())
  await areRefused(
    t,
    home,
    ['administer', 'doctor', 'backup'],
    /is served by an older Workroom: .*schema 20.*Restart the server/,
  )
  const refused = await runWorkroom('migrate', '--home', home)
  t.match(refused, { code: 1, stdout: '', stderr: /^workroom: .* is served by an older Workroom: .*\n$/ })
})

t.test('without a server, commands point to migrate, which keeps a copy of the old database', async (t) => {
  const home = join(testFolder(t), 'home')
  oldHome(home, file)
  await areRefused(
    t,
    home,
    ['administer', 'doctor', 'backup', 'repair'],
    /schema 20.*with: workroom migrate --home /,
  )
  t.equal(schemaOf(databasePath(home)), 20)
  await t.rejects(
    openWorkspace({ home, config: defaultConfig }),
    { code: 'conflict', message: /workroom migrate/ },
    'opening the workspace does not migrate unasked',
  )

  const done = await runWorkroom('migrate', '--home', home, '--json')
  t.match(done, { code: 0, stderr: '' })
  const { from, to, snapshot } = done.json as unknown as { from: number; to: number; snapshot: string }
  t.same([from, to], [20, latestSchema()])
  t.equal(schemaOf(databasePath(home)), latestSchema())
  t.equal(schemaOf(snapshot), 20)
  t.equal(await migrateHome(home), null, 'a second migrate has nothing to do')
  t.equal(snapshotsIn(home).length, 1)
})

t.test('serve migrates, reports it, and keeps the newest copy only', async (t) => {
  const home = join(testFolder(t), 'home')
  oldHome(home, file)
  const former = 'before-migration-from-3-2026-01-01T00-00-00-000Z.db'
  mkdirSync(join(home, '.workroom/backups'))
  writeFileSync(join(home, '.workroom/backups', former), '')
  const { child, ended, printed } = await serve(t, home)
  t.match(
    printed,
    /^The database was migrated from schema 20 to \d+\. A copy of the old database is kept .*\n/,
  )
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
  t.match(snapshotsIn(home), [/^before-migration-from-20-/])
})

t.test('an older program refuses a newer database and names the copy to go back to', async (t) => {
  const home = join(testFolder(t), 'home')
  oldHome(home, file)
  await migrateHome(home)
  setSchema(databasePath(home), 999)
  const words = /written by a newer Workroom: it has schema 999.*before-migration-from-20-.*\.db to /
  await areRefused(t, home, Object.keys(ways), words)
  await t.rejects(migrateHome(home), { code: 'conflict', message: words })
  const refused = await runProcess(t, 'serve', '--home', home, '--port', '0')
  t.match(refused, { code: 1, stdout: '', stderr: words })
})
