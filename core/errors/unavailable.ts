import type { Database } from '../../data/database.ts'
import { failureReason } from '../../data/failures.ts'
import { DiskError } from '../../data/tree/index.ts'
import { WorkspaceError } from './workspace-error.ts'

/** Maps a failure of the disk during a read to `unavailable` with the reason. Other errors are returned unchanged. */
export function readUnavailableError(error: unknown): unknown {
  const reason = failureReason(error)
  if (reason === null) return error
  return new WorkspaceError('unavailable', `This cannot be answered now, because ${reason}.`, {
    retryAfterMs: 5000,
  })
}

/** Codes that are no failure of the disk: something else is in the place. */
const pathOccupied = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENOTEMPTY'])

/**
 * Maps a failure of the disk or the database during a write: `unavailable` with the reason; `conflict` if something
 * is in the place, `invalid` if a name is too long. Other errors are returned unchanged.
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
 * As `Database.commit`.
 * @throws what `write` threw; WorkspaceError `unavailable` if the database failed, and nothing was stored
 */
export const commitOrUnavailable = <T>(database: Database, write: () => T): Promise<T> =>
  database.commit(write).catch((error) => {
    throw writeUnavailableError(error)
  })
