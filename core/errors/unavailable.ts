import type { Database } from '../../data/database.ts'
import { failureReason } from '../../data/failures.ts'
import { DiskError } from '../../data/tree/index.ts'
import { WorkspaceError } from './workspace-error.ts'

/** Maps a failure of the disk during a read to `unavailable`, and returns other errors unchanged. */
export function readUnavailableError(error: unknown): unknown {
  const reason = failureReason(error)
  if (reason === null) return error
  return new WorkspaceError('unavailable', `This cannot be answered now, because ${reason}.`, {
    retryAfterMs: 5000,
  })
}

/** Not failures of the disk: something else has the path. */
const pathOccupied = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENOTEMPTY'])

/** Maps an occupied path to `conflict`, a long name to `invalid`, other failures to `unavailable`. */
export function writeUnavailableError(error: unknown): unknown {
  const reason = failureReason(error)
  if (reason === null) return error
  if (error instanceof DiskError && !error.isInternal) {
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

/** `Database.commit`, with failures of the database as `unavailable`. Rethrows what `write` throws. */
export const commitOrUnavailable = <T>(database: Database, write: () => T): Promise<T> =>
  database.commit(write).catch((error) => {
    throw writeUnavailableError(error)
  })
