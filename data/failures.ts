import { DiskError } from './tree/index.ts'

/** What SQLite's result codes mean to somebody who cares for the machine. */
const sqliteWords: [prefix: string, words: string][] = [
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_READONLY', 'the database cannot be written'],
  ['SQLITE_IOERR', 'the disk reported an error'],
  ['SQLITE_BUSY', 'another process holds the database'],
  ['SQLITE_CORRUPT', 'the database is damaged'],
  ['SQLITE_NOTADB', 'the database is damaged'],
  ['SQLITE_CANTOPEN', 'the database cannot be opened'],
]

/** Why the disk or the database failed, in plain words; null for an error of another kind. */
export function failureReason(error: unknown): string | null {
  if (error instanceof DiskError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return sqliteWords.find(([prefix]) => code.startsWith(prefix))?.[1] ?? null
}
