import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { findDifferences } from '../../core/doctor/index.ts'
import { openForCommandLine } from '../../core/workspace/command-line.ts'
import { databasePath } from '../../data/home.ts'
import { testFolder } from '../support/test-folder.ts'
import { startWorkroom } from '../support/workroom.ts'
import { runWorkroom } from './run-workroom.ts'
import { serve } from './serve-workroom.ts'

t.test('doctor finds nothing in a home left alone, and reports an edit made offline', async (t) => {
  const home = join(testFolder(t), 'home')
  const { child, ended } = await serve(t, home)
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })

  const healthy = await runWorkroom('doctor', '--home', home, '--json')
  t.match(healthy, { code: 0, stderr: '' })
  t.same(healthy.json, { findings: [], documents: 2 })
  const result = await runWorkroom('doctor', '--home', home)
  t.match(result, { code: 0, stdout: 'The disk and the database agree on all 2 documents.\n' })

  const path = 'projects/general/documents/welcome.md'
  appendFileSync(join(home, path), 'Written while nobody looked.\n')
  const found = await runWorkroom('doctor', '--home', home, '--json')
  t.equal(found.code, 1)
  t.equal(found.json.findings.length, 1)
  t.match(found.json.findings[0], { path, problem: /./, mend: /./ })
  const line = await runWorkroom('doctor', '--home', home)
  t.equal(line.code, 1)
  t.match(line.stdout, /^projects\/general\/documents\/welcome\.md: .+\n$/)
})

t.test('right after a write, doctor waits until the write is durable and finds nothing', async (t) => {
  const workroom = await startWorkroom(t)
  for (const title of ['One', 'Two', 'Three']) {
    const path = `/v1/fs/projects/general/docs/${title.toLowerCase()}.md`
    t.equal((await workroom.request('PUT', path, { body: `# ${title}\n` })).status, 201)
    t.same((await findDifferences(workroom.home)).findings, [])
  }
  const { path } = (
    await workroom.request('PUT', '/v1/fs/projects/general/docs/last.md', { body: '# Last\n' })
  ).json
  const result = runWorkroom('doctor', '--home', workroom.home)
  await workroom.request('DELETE', path)
  t.match(await result, { code: 0, stdout: /^The disk and the database agree on all \d documents\.\n$/ })
})

t.test(
  'doctor names projects that the database does not know, and claims no agreement on zero documents',
  async (t) => {
    const workroom = await startWorkroom(t)
    await workroom.close()
    const folder = join(workroom.home, 'projects/strange')
    mkdirSync(join(folder, 'documents'), { recursive: true })
    writeFileSync(join(folder, 'documents/plan.md'), '# Plan\n')
    t.match((await findDifferences(workroom.home)).findings, [
      {
        path: 'projects/strange',
        problem: 'The database does not know this project.',
        mend: /^Start the server/,
      },
    ])
    for (const name of ['strange', 'general'])
      rmSync(join(workroom.home, 'projects', name), { recursive: true })
    const db = new Sqlite(databasePath(workroom.home))
    db.unsafeMode().exec(
      'PRAGMA foreign_keys = OFF; DELETE FROM documents; DELETE FROM projects; DELETE FROM project_members; DELETE FROM revisions',
    )
    db.close()
    const result = await runWorkroom('doctor', '--home', workroom.home)
    t.notMatch(result.stdout, /database agree on/)
  },
)

t.test('doctor --confirm-deletions records that the missing files of a project may be deleted', async (t) => {
  const home = join(testFolder(t), 'home')
  await runWorkroom('init', '--home', home, '--name', 'Org', '--owner', 'Ada')
  t.match(await runWorkroom('doctor', '--home', home, '--confirm-deletions', 'general'), {
    code: 0,
    stderr: '',
  })
  const { projects, close } = openForCommandLine(home)
  t.teardown(close)
  t.type(projects.find('general')!.deletionsConfirmedMs, 'number')
  const unknown = await runWorkroom('doctor', '--home', home, '--confirm-deletions', 'nothing')
  t.match(unknown, {
    code: 1,
    stdout: '',
    stderr: /^workroom: There is no project nothing\. There are: general\n$/,
  })
})

t.test('doctor refuses a folder without a workspace', async (t) => {
  const none = await runWorkroom('doctor', '--home', testFolder(t))
  t.match(none, { code: 1, stdout: '', stderr: /^workroom: There is no workspace in .*\n$/ })
})
