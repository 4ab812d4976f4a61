import { WorkspaceError } from '../errors/workspace-error.ts'

/** Whether a write may proceed, by the tag of what is there, or null. */
export type WriteCondition = (tag: string | null) => boolean

export const preconditionError = (isThere: boolean): WorkspaceError =>
  new WorkspaceError(
    'precondition_failed',
    isThere
      ? 'The precondition failed: the file was changed in another session. Read it again.'
      : 'Nothing lies there (any more).',
  )
