import { errnoOf } from './tree/disk-errors.ts'
import { DiskError } from './tree/index.ts'

export const busyText = 'another process holds the database'

const sqliteTexts: [prefix: string, words: string][] = [
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_READONLY', 'the database cannot be written'],
  ['SQLITE_IOERR', 'the disk reported an error'],
  ['SQLITE_BUSY', busyText],
  ['SQLITE_CORRUPT', 'the database is damaged'],
  ['SQLITE_NOTADB', 'the database is damaged'],
  ['SQLITE_CANTOPEN', 'the database cannot be opened'],
  ['DATABASE_MOVED', 'the database file was deleted or replaced while the server ran'],
]

/** Errors of sockets are left out: they do not concern the disk. */
const systemTexts = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full for this user, whose quota is used up'],
  ['EROFS', 'the disk is mounted read-only'],
  ['EIO', 'the disk reports an input/output error'],
  ['EMFILE', 'the server has too many files open'],
  ['ENFILE', 'the machine has too many files open'],
  ['ESTALE', 'the network file system has lost the file'],
])

/** Why the disk or the database failed, in plain words; null for another kind of error. */
export function failureReason(error: unknown): string | null {
  if (error instanceof DiskError) return error.message
  if (!(error instanceof Error)) return null
  const { code, errno } = error as NodeJS.ErrnoException
  return reasonOf(errnoOf(error) ?? String(code ?? errno))
}

function reasonOf(code: string): string | null {
  return systemTexts.get(code) ?? sqliteTexts.find(([prefix]) => code.startsWith(prefix))?.[1] ?? null
}

export function isDatabaseFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code.startsWith('SQLITE_') && !code.startsWith('SQLITE_BUSY') && failureReason(error) !== null
}

export function isCorrupt(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(code)
}
