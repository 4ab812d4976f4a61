import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { examine, type Finding } from '../../core/doctor.ts'
import { workroom } from '../bin/run-workroom.ts'
import { copyHome } from '../support/copy-home.ts'
import { docs } from '../support/desk.ts'
import { startWorkroom } from '../support/workroom.ts'

const room = await startWorkroom(t)
for (const name of ['plan', 'other']) {
  await room.request('PUT', `${docs}/${name}.md`, { body: `# ${name}\n\nText.\n` })
}
await room.close()

const folder = 'projects/general'
const plan = `${folder}/documents/plan.md`

function inDatabase(home: string, sql: string): void {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'))
  db.exec(sql)
  db.close()
}

const newest =
  "(SELECT max(id) FROM revisions WHERE document_id = (SELECT id FROM documents WHERE path = 'documents/plan.md'))"

/** What can differ, how it comes about, and what is said of it. */
const differences: Record<
  string,
  { make: (home: string) => void; finding: Record<keyof Finding, string | RegExp> }
> = {
  'a file that is missing': {
    make: (home) => rmSync(join(home, plan)),
    finding: { path: plan, problem: 'The file is missing.', mend: /^Put it back, or start the server/ },
  },
  'a file with other bytes': {
    make: (home) => appendFileSync(join(home, plan), 'More.\n'),
    finding: {
      path: plan,
      problem: 'The file has other bytes than its newest revision.',
      mend: /^Start the server/,
    },
  },
  'a folder in the place of a file': {
    make(home) {
      rmSync(join(home, plan))
      mkdirSync(join(home, plan))
    },
    finding: { path: plan, problem: 'There is a folder in its place.', mend: 'Put the file back.' },
  },
  'a link in the place of a file': {
    make(home) {
      rmSync(join(home, plan))
      symlinkSync(join(home, `${folder}/documents/other.md`), join(home, plan))
    },
    finding: { path: plan, problem: 'There is a symlink in its place.', mend: 'Put the file back.' },
  },
  'a file that nobody knows': {
    make: (home) => writeFileSync(join(home, `${folder}/documents/new.md`), '# New\n'),
    finding: {
      path: `${folder}/documents/new.md`,
      problem: 'The database does not know this file.',
      mend: /^Start the server/,
    },
  },
  'bytes that the database has lost': {
    make: (home) => inDatabase(home, `UPDATE revisions SET content = x'00ff00ff' WHERE id = ${newest}`),
    finding: {
      path: plan,
      problem: 'The database has lost the bytes of its newest revision.',
      mend: /^Restore a backup/,
    },
  },
  'a folder without its marker': {
    make: (home) => rmSync(join(home, folder, '.workroom')),
    finding: {
      path: folder,
      problem: 'The folder has no marker of the project general.',
      mend: /^Mount its disk, or write prj_/,
    },
  },
  'a folder that is away': {
    make: (home) => renameSync(join(home, folder), join(home, 'elsewhere')),
    finding: {
      path: folder,
      problem: 'The folder has no marker of the project general.',
      mend: /^Mount its disk/,
    },
  },
  'a write that is not durable': {
    make: (home) =>
      inDatabase(
        home,
        `INSERT INTO journal (document_id, path, revision) SELECT id, '${plan}', revision FROM documents WHERE path = 'documents/plan.md'`,
      ),
    finding: {
      path: plan,
      problem: 'A write is not known to be durable yet.',
      mend: /^The server finishes it/,
    },
  },
}

let count = 0
function copy(): string {
  const home = `${room.home}-${++count}`
  copyHome(room.home, home)
  return home
}

t.test('a home that was left alone has no findings', async (t) => {
  t.same(await examine(room.home), { findings: [], documents: 4 })
})

for (const [what, { make, finding }] of Object.entries(differences)) {
  t.test(`${what} is named, with its mend, and nothing else`, async (t) => {
    const home = copy()
    make(home)
    const { findings } = await examine(home)
    t.match(findings, [finding])
    t.equal(findings.length, 1)
    t.same((await examine(home)).findings, findings, 'nothing was changed')
  })
}

t.test('the command line tells all of them, a line each, and exits with 1', async (t) => {
  const home = copy()
  const chosen = [
    'a file with other bytes',
    'a file that nobody knows',
    'bytes that the database has lost',
  ] as const
  for (const what of chosen) differences[what]!.make(home)
  const [told, asJson] = await Promise.all([
    workroom(t, 'doctor', '--home', home),
    workroom(t, 'doctor', '--home', home, '--json'),
  ])
  const { findings } = await examine(home)
  t.equal(findings.length, 3)
  t.match(told, { code: 1, stderr: '' })
  t.equal(told.stdout, findings.map(({ path, problem, mend }) => `${path}: ${problem} ${mend}\n`).join(''))
  t.match(asJson, { code: 1, stderr: '' })
  t.same(asJson.json.findings, findings)
})
