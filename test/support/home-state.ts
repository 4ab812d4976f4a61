import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import Sqlite from 'better-sqlite3'

/** What must stay as it was when a write fails. */
export interface HomeState {
  /** Every file of the projects, of rooms and of the trash, by its path within the home. */
  files: Record<string, string>
  /** What the database says of the documents, by table. */
  rows: Record<string, unknown[]>
  /** What lies in `.workroom/tmp`, apart from files that were replaced moments ago. */
  staged: string[]
}

/** The tables that a write touches, without what a look at a file may set on its own (its stat). */
const queries = {
  documents: `SELECT id, path, kind, title, revision, bytes, number, status, position, edited_ms, activity_ms, deleted_ms, trash_path
    FROM documents ORDER BY id`,
  revisions: 'SELECT document_id, revision, via, author_id FROM revisions ORDER BY id',
  events: 'SELECT tick, type, document_id, detail FROM events ORDER BY tick',
  inbox: 'SELECT member_id, document_id FROM inbox ORDER BY id',
}

export function stateOf(home: string): HomeState {
  return {
    files: filesIn(home),
    rows: rowsIn(home),
    staged: stagedFiles(home).filter((name) => !name.startsWith('displaced-')),
  }
}

/** All that lies in `.workroom/tmp`: nothing, unless a write is under way or was moments ago. */
export const stagedFiles = (home: string): string[] => {
  const folder = join(home, '.workroom', 'tmp')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** The bytes of every file that is a person's to see, as text, by path within the home. */
export function filesIn(home: string): Record<string, string> {
  const files: [string, string][] = []
  for (const top of ['projects', 'rooms', 'trash']) {
    if (!existsSync(join(home, top))) continue
    for (const entry of readdirSync(join(home, top), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      // A running server's test of its watcher, which comes and goes.
      if (!entry.isFile() || entry.name === '.workroom-probe') continue
      files.push([relative(home, path), readFileSync(path, 'utf8')])
    }
  }
  return Object.fromEntries(files.sort())
}

function rowsIn(home: string): Record<string, unknown[]> {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'), { readonly: true })
  try {
    return Object.fromEntries(Object.entries(queries).map(([table, sql]) => [table, db.prepare(sql).all()]))
  } finally {
    db.close()
  }
}
