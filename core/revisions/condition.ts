import { WorkspaceError } from '../errors/workspace-error.ts'

/** What must hold of what lies somewhere for it to be written: asked with its tag, or null where nothing lies there. */
export type WriteCondition = (tag: string | null) => boolean

/** Why a condition did not hold. */
export const preconditionError = (isThere: boolean): WorkspaceError =>
  new WorkspaceError(
    'precondition_failed',
    isThere
      ? 'The precondition failed: the file was changed in another session. Read it again.'
      : 'Nothing lies there (any more).',
  )
