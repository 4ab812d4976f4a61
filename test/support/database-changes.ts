import { statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Tells by a connection of its own whether anything was written to a home's database, and how long its log is. */
export interface DatabaseChanges {
  /** Differs after every commit. */
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
