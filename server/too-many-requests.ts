import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { wholeSeconds } from './error-response.ts'

/** The refusal of what may happen again after `waitMs`: its text and its `Retry-After` name the same whole seconds. */
export function tooManyRequests(reason: string, waitMs: number): WorkspaceError {
  const seconds = wholeSeconds(waitMs)
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`
  return new WorkspaceError('too_many_requests', `${reason} Try again in ${wait}.`, {
    retryAfterMs: waitMs,
  })
}
