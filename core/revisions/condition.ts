import { WorkspaceError } from '../errors/workspace-error.ts'

/** Decides from the tag of the present file, or null, whether a write may proceed. */
export type WriteCondition = (tag: string | null) => boolean

export const preconditionError = (exists: boolean): WorkspaceError =>
  new WorkspaceError(
    'precondition_failed',
    exists
      ? 'The precondition failed: the file was changed in another session. Read it again.'
      : 'There is nothing there (any more).',
  )
