import { WorkspaceError } from '../errors/workspace-error.ts'

/** What must hold of what lies somewhere for it to be written: asked with its tag, or null where nothing lies there. */
export type Condition = (tag: string | null) => boolean

/** Why a condition did not hold. */
export const preconditionError = (isThere: boolean): WorkspaceError =>
  new WorkspaceError(
    'precondition_failed',
    isThere
      ? 'What lies there is not what this was to be done with: it changed in another session, or was to be left alone. Read it again.'
      : 'Nothing lies there (any more).',
  )
