import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import Sqlite from 'better-sqlite3'

/** The state of a home that a failed write must not change. */
export interface HomeState {
  /** The text of every file of projects, rooms and trash, by path in the home. */
  files: Record<string, string>
  rows: Record<string, unknown[]>
  /** The files in `.workroom/tmp` except displaced ones. */
  staged: string[]
}

/** Queries of the tables that a write changes, without the stamps that a mere stat may change. */
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

export const stagedFiles = (home: string): string[] => {
  const folder = join(home, '.workroom', 'tmp')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** The text of every file that a person can see, by path in the home. */
export function filesIn(home: string): Record<string, string> {
  const files: [string, string][] = []
  for (const top of ['projects', 'rooms', 'trash']) {
    if (!existsSync(join(home, top))) continue
    for (const entry of readdirSync(join(home, top), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      // The probe with which a running server tests its watcher.
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
