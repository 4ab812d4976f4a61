import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { type Finding, findDifferences } from '../../../core/doctor/index.ts'
import { runWorkroom } from '../../bin/run-workroom.ts'
import { copyHome } from '../../support/copy-home.ts'
import { docs } from '../../support/project-folder.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
for (const name of ['plan', 'other', 'gone']) {
  await workroom.request('PUT', `${docs}/${name}.md`, { body: `# ${name}\n\nText.\n` })
}
await workroom.request('DELETE', `${docs}/gone.md`)
const { json: post } = await workroom.request('PUT', '/v1/fs/projects/general/posts/news.md', {
  body: '# News\n',
})
await workroom.request('POST', `${post.path}/attachments?name=plan.txt`, { body: 'Bytes.' })
const skill = { project: 'general', name: 'notes', expectedVersion: 0 }
const files = { 'SKILL.md': '---\nname: notes\ndescription: Notes.\n---\n' }
await workroom.request('POST', '/v1/skills', { body: { ...skill, files, expectedDraftRevision: 0 } })
await workroom.request('POST', '/v1/skills/publish', { body: { ...skill, expectedDraftRevision: 1 } })
await workroom.close()

const folder = 'projects/general'
const plan = `${folder}/documents/plan.md`
const attached = `${folder}/attachments/${post.id}`

function inDatabase(home: string, sql: string): void {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'))
  // Damage does not respect SQLite's safeguards, either.
  db.unsafeMode().exec(sql)
  db.close()
}

const newest =
  "(SELECT max(id) FROM revisions WHERE document_id = (SELECT id FROM documents WHERE path = 'documents/plan.md'))"

/** The rows that a killed server leaves while somebody types at the start of a text. */
const typed = (name: string) => {
  const bytes = '(SELECT bytes FROM revisions WHERE document_id = documents.id ORDER BY id DESC LIMIT 1)'
  return `INSERT INTO live_texts SELECT id, 'epoch', revision, 0, '[' || ${bytes} || ']', 0, 0
      FROM documents WHERE path = 'documents/${name}';
    INSERT INTO live_steps SELECT id, 1, 'client', 1, author_id, 'typing', '[[0,"More"],' || ${bytes} || ']'
      FROM documents WHERE path = 'documents/${name}'`
}

/** The differences that the doctor finds: how each is made, and its finding. */
const differences: Record<
  string,
  { make: (home: string) => void; finding: Record<keyof Finding, string | RegExp> }
> = {
  'a file that is missing': {
    make: (home) => rmSync(join(home, plan)),
    finding: { path: plan, problem: 'The file is missing.', mend: /^Restore the file, or start the server/ },
  },
  'a file with other bytes': {
    make: (home) => appendFileSync(join(home, plan), 'More.\n'),
    finding: {
      path: plan,
      problem: 'The file differs from its newest revision.',
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
  'markdown in the project’s own folder': {
    make: (home) => writeFileSync(join(home, `${folder}/doc.md`), '# Doc\n'),
    finding: {
      path: folder,
      problem: 'It holds a markdown file that is not a document: doc.md.',
      mend: /^Move it into documents\//,
    },
  },
  'markdown in a column that there is not': {
    make(home) {
      mkdirSync(join(home, `${folder}/board/05-later`))
      for (const name of ['a', 'b'])
        writeFileSync(join(home, `${folder}/board/05-later/${name}.md`), '# Card\n')
    },
    finding: {
      path: `${folder}/board/05-later`,
      problem: 'It holds 2 markdown files that are not documents, such as a.md.',
      mend: /^Cards belong in the columns 01-triage, 02-todo, 03-in-progress, 04-done/,
    },
  },
  'a draft that lies in nobody’s folder': {
    make(home) {
      mkdirSync(join(home, `${folder}/drafts`), { recursive: true })
      writeFileSync(join(home, `${folder}/drafts/d.md`), '# Draft\n')
    },
    finding: {
      path: `${folder}/drafts`,
      problem: 'It holds a markdown file that is not a document: d.md.',
      mend: /^Drafts belong in their author's folder: move it into drafts\/<name>\//,
    },
  },
  'markdown deep in a folder that is none of ours': {
    make(home) {
      mkdirSync(join(home, `${folder}/notes/old/2025`), { recursive: true })
      writeFileSync(join(home, `${folder}/notes/old/2025/x.md`), '# X\n')
      writeFileSync(join(home, `${folder}/notes/old/y.md`), '# Y\n')
      writeFileSync(join(home, `${folder}/notes/old/y.txt`), 'Y\n')
    },
    finding: {
      path: `${folder}/notes`,
      problem: 'It holds 2 markdown files that are not documents, such as old/y.md.',
      mend: /^Move it into documents\//,
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
      problem: 'The folder of the project general is missing.',
      mend: /^Restore it/,
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
      problem: 'A write may not be durable yet.',
      mend: /^The server finishes it/,
    },
  },
  'an attached file that is gone': {
    make: (home) => rmSync(join(home, attached, 'plan.txt')),
    finding: {
      path: `${attached}/plan.txt`,
      problem: 'The attached file is missing.',
      mend: /^Put it back, or delete/,
    },
  },
  'a file that is attached to nothing': {
    make: (home) => writeFileSync(join(home, attached, 'other.txt'), ''),
    finding: {
      path: `${attached}/other.txt`,
      problem: 'The file is not attached to any document.',
      mend: /^Attach it/,
    },
  },
  'a skill that was edited': {
    make: (home) => appendFileSync(join(home, folder, 'skills/notes/SKILL.md'), 'More.\n'),
    finding: {
      path: `${folder}/skills/notes`,
      problem: 'Its files are not those of version 1 of the skill.',
      mend: /^Read the skill over HTTP/,
    },
  },
  'a repository whose mirror is gone': {
    make: (home) =>
      inDatabase(
        home,
        `INSERT INTO repositories (id, project_id, dir, name, source, default_branch, commit_id, linked_by, linked_ms,
          refreshed_ms, tried_ms, due_ms)
        SELECT 'rep_1', projects.id, 'code', 'code', '/code', 'main', '', members.id, 0, 0, 0, ${2 ** 52} FROM projects, members`,
      ),
    finding: {
      path: '.workroom/repositories/rep_1.git',
      problem: 'The mirror of the repository code is missing.',
      mend: /^Start the server/,
    },
  },
  'words that were typed and not saved': {
    make: (home) => inDatabase(home, typed('plan.md')),
    finding: {
      path: plan,
      problem: 'Text typed in its editor is not saved in the file.',
      mend: 'Start the server: it saves the text.',
    },
  },
  'typed words of a document that is deleted': {
    make: (home) => inDatabase(home, typed('gone.md')),
    finding: {
      path: `${folder}/documents/gone.md`,
      problem: 'It is deleted, and text typed in its editor is not saved.',
      mend: 'Start the server: it saves the text as a draft.',
    },
  },
  'typed words that do not fit the text': {
    make: (home) =>
      inDatabase(home, `${typed('plan.md')}; UPDATE live_steps SET changes = '[9999,[0,"More"]]'`),
    finding: {
      path: plan,
      problem: 'Text typed in its editor is not saved and cannot be recovered.',
      mend: /^Restore a backup/,
    },
  },
  'a row that names one that is gone': {
    make: (home) =>
      inDatabase(
        home,
        "PRAGMA foreign_keys = OFF; INSERT INTO former_names SELECT id, 'gone', 'doc_gone', 0, 0 FROM projects",
      ),
    finding: {
      path: '.workroom/workroom.db',
      problem: 'The database is damaged: a row of former_names names one of documents that is not there.',
      mend: /^Stop the server and repair it with: workroom repair --home /,
    },
  },
  'an index that does not agree': {
    make: (home) =>
      inDatabase(
        home,
        'DELETE FROM search_text_docsize WHERE id = (SELECT max(id) FROM search_text_docsize)',
      ),
    finding: {
      path: '.workroom/workroom.db',
      problem: /^The database is damaged: .*search_text/,
      mend: /^Stop the server/,
    },
  },
}

let count = 0
function copy(): string {
  const home = `${workroom.home}-${++count}`
  copyHome(workroom.home, home)
  return home
}

t.test('an untouched home has no findings', async (t) => {
  t.same(await findDifferences(workroom.home), { findings: [], documents: 5 })
})

for (const [what, { make, finding }] of Object.entries(differences)) {
  t.test(`${what} is the only finding, with its remedy`, async (t) => {
    const home = copy()
    make(home)
    const { findings } = await findDifferences(home)
    t.match(findings, [finding])
    t.equal(findings.length, 1)
    t.same((await findDifferences(home)).findings, findings, 'finding it changes nothing')
  })
}

t.test('the command prints every finding on a line of its own and exits with 1', async (t) => {
  const home = copy()
  const chosen = [
    'a file with other bytes',
    'a file that nobody knows',
    'bytes that the database has lost',
  ] as const
  for (const what of chosen) differences[what]!.make(home)
  const [asText, asJson] = await Promise.all([
    runWorkroom('doctor', '--home', home),
    runWorkroom('doctor', '--home', home, '--json'),
  ])
  const { findings } = await findDifferences(home)
  t.equal(findings.length, 3)
  t.match(asText, { code: 1, stderr: '' })
  t.equal(asText.stdout, findings.map(({ path, problem, mend }) => `${path}: ${problem} ${mend}\n`).join(''))
  t.match(asJson, { code: 1, stderr: '' })
  t.same(asJson.json.findings, findings)
})
