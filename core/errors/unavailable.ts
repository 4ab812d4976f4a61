import type { Database } from '../../data/database.ts'
import { failureReason } from '../../data/failures.ts'
import { DiskError } from '../../data/tree/index.ts'
import { WorkspaceError } from './workspace-error.ts'

/**
 * What is answered where the disk failed to show a file: `unavailable` with the plain reason.
 * Any other error is passed on as it is.
 */
export function readUnavailableError(error: unknown): unknown {
  const reason = failureReason(error)
  if (reason === null) return error
  return new WorkspaceError('unavailable', `This cannot be answered now, because ${reason}.`, {
    retryAfterMs: 5000,
  })
}

/** What is no failure of the disk: something stands where the caller wanted something else. */
const pathOccupied = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENOTEMPTY'])

/**
 * What a write answers when the disk or the database failed it: `unavailable` with the plain reason, nothing changed;
 * `conflict` where something stands in the way, and `invalid` where a name is too long, which no waiting mends.
 * Any other error is passed on as it is.
 */
export function writeUnavailableError(error: unknown): unknown {
  const reason = failureReason(error)
  if (reason === null) return error
  if (error instanceof DiskError && !error.isDeclined) {
    const { errno } = error
    if (pathOccupied.has(errno)) return new WorkspaceError('conflict', `Nothing was written: ${reason}.`)
    if (errno === 'ENAMETOOLONG') return new WorkspaceError('invalid', `Nothing was written: ${reason}.`)
  }
  return new WorkspaceError(
    'unavailable',
    `Nothing was written, because ${reason}. Try again when that is fixed.`,
    {
      retryAfterMs: 5000,
    },
  )
}

/**
 * Commits, as `Database.commit` does.
 * @throws what `write` threw; WorkspaceError `unavailable` where the database failed it, and nothing was kept
 */
export const commitOrUnavailable = <T>(database: Database, write: () => T): Promise<T> =>
  database.commit(write).catch((error) => {
    throw writeUnavailableError(error)
  })
