import { failureReason } from '../data/failures.ts'
import { WorkspaceError } from './errors.ts'

/**
 * What a write answers when the disk or the database failed it: `unavailable` with the plain reason, nothing changed.
 * Any other error is passed on as it is.
 */
export function unavailable(error: unknown): unknown {
  const reason = failureReason(error)
  if (reason === null) return error
  return new WorkspaceError(
    'unavailable',
    `Nothing was written, because ${reason}. Try again when that is mended.`,
    {
      headers: { 'Retry-After': '5' },
    },
  )
}
