import { statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Watches a home's database for commits, with a connection of its own. */
export interface DatabaseChanges {
  /** The version changes with every commit. */
  state(): { version: number; logBytes: number }
  close(): void
}

export function databaseChanges(home: string): DatabaseChanges {
  const path = join(home, '.workroom', 'workroom.db')
  const db = new Sqlite(path, { readonly: true })
  return {
    state: () => ({
      version: db.pragma('data_version', { simple: true }) as number,
      logBytes: statSync(`${path}-wal`).size,
    }),
    close: () => db.close(),
  }
}
