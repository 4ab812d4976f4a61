import { WorkspaceError } from '../core/errors/workspace-error.ts'

/** The refusal of what may happen again after `waitMs`: its text and its `Retry-After` name the same whole seconds. */
export function tooManyRequests(reason: string, waitMs: number): WorkspaceError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`
  return new WorkspaceError('too_many_requests', `${reason} Try again in ${wait}.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
