import type { GitFailure, GitFailureReason } from '../../data/outbound/git.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

const reasons: Record<GitFailureReason, (detail: string) => string> = {
  not_started: (detail) =>
    detail === 'ENOENT'
      ? 'the git program is not installed on the server'
      : `the git program could not be started (${detail})`,
  too_old: (detail) => `the server has ${detail}, and 2.37 or later is needed`,
  failed: (detail) => `git says: ${detail}`,
  timeout: () => 'it took too long',
  too_large: () => 'it is too large',
  busy: () => 'the server is fetching too many repositories already',
  stopped: () => 'the server is stopping',
  outside_roots: () => 'there is no such folder within those of the setting repositories.roots',
  inside_home: () => "it is in the workspace's own folder",
  leads_outside: (detail) =>
    `its ${detail} leads to another repository, which cannot be read through this one`,
  not_a_repository: () => 'it is not a git repository',
  empty: () => 'its default branch has no commit yet',
  address: (detail) => addressReasons[detail] ?? `its host cannot be reached (${detail})`,
}

const addressReasons: Record<string, string> = {
  blocked_address: 'its host has an address that is not public. An operator can allow it: outbound.allow',
  plain_http: 'it must begin with https://, or http:// where an operator allows its host in outbound.allow',
  dns: 'the name of its host is not known',
}

/** Independent of the request, and possibly over soon. */
const transientReasons = new Set<GitFailureReason>(['not_started', 'too_old', 'timeout', 'busy', 'stopped'])

export const problemOf = ({ reason, detail }: GitFailure): string => reasons[reason](detail)

export function cloneError(failure: GitFailure): WorkspaceError {
  const message = `The repository cannot be linked: ${problemOf(failure)}.`
  return transientReasons.has(failure.reason)
    ? new WorkspaceError('unavailable', message, { retryAfterMs: 30_000 })
    : new WorkspaceError('bad_request', message)
}

export const readError = (dir: string, failure: GitFailure): WorkspaceError =>
  new WorkspaceError(
    'unavailable',
    `The repository ${dir} cannot be read now: ${problemOf(failure)}. Try again in a moment.`,
    { retryAfterMs: 5000 },
  )
