import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { databasePath } from '../../data/home.ts'
import { addSchemaFunctions } from '../../data/migrations.ts'
import { programFile } from '../../data/program.ts'

const schema = programFile('data/schema/')

export const schemaBefore = (file: string): string[] =>
  readdirSync(schema)
    .filter((name) => name.endsWith('.sql') && name < file)
    .sort()

/** Creates a database with the schema before this file, and these rows. */
export function oldDatabase(path: string, file: string, rows: string): void {
  const old = new Sqlite(path)
  old.pragma('foreign_keys = ON')
  addSchemaFunctions(old)
  for (const name of schemaBefore(file)) old.exec(readFileSync(new URL(name, schema), 'utf8'))
  old.exec(rows)
  old.pragma(`user_version = ${schemaBefore(file).length}`)
  old.close()
}

/** Creates a home of an older version with the owner Ada and a document that is not ingested yet. */
export function oldHome(home: string, file: string): void {
  mkdirSync(join(home, '.workroom'), { recursive: true })
  const id = `prj_${'0'.repeat(26)}`
  oldDatabase(
    databasePath(home),
    file,
    `INSERT INTO workspace (id, name, slug, created_ms) VALUES ('wsp_1', 'Old', 'old', 1);
     INSERT INTO members (id, name, type, role, status, created_ms) VALUES
       ('mem_1', 'Ada', 'human', 'owner', 'active', 1);
     INSERT INTO projects (id, slug, folder, name, created_ms) VALUES ('${id}', 'general', 'general', 'General', 1);
     INSERT INTO project_members (project_id, member_id, role, joined_ms) VALUES ('${id}', 'mem_1', 'lead', 1);`,
  )
  const folder = join(home, 'projects/general')
  mkdirSync(join(folder, 'documents'), { recursive: true })
  writeFileSync(join(folder, '.workroom'), `${id}\n`)
  writeFileSync(join(folder, 'documents/plan.md'), '# Plan\n')
}
