import t from 'tap'
import type { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { type Precondition, requirePrecondition } from '../../../core/revisions/preconditions.ts'
import { documentRecord } from '../documents/document-record.ts'

const present = documentRecord({ revision: 'present' })

/** Null if the write may happen, else the conflict's message. */
function conflictOf(precondition: Precondition, isThere: boolean): WorkspaceError | null {
  try {
    requirePrecondition(precondition, isThere ? present : null, 'document')
    return null
  } catch (error) {
    return error as WorkspaceError
  }
}

t.test('each precondition holds exactly when it should', async (t) => {
  const holds: [Precondition, whereThere: boolean, whereNot: boolean][] = [
    [{ kind: 'none' }, true, true],
    [{ kind: 'create' }, false, true],
    [{ kind: 'exists' }, true, false],
    [{ kind: 'match', revisions: ['present'] }, true, false],
    [{ kind: 'match', revisions: ['older', 'present'] }, true, false],
    [{ kind: 'match', revisions: ['older'] }, false, false],
    [{ kind: 'match', revisions: [] }, false, false],
  ]
  for (const [precondition, whereThere, whereNot] of holds) {
    const name = JSON.stringify(precondition)
    t.equal(conflictOf(precondition, true) === null, whereThere, `${name}, existing`)
    t.equal(conflictOf(precondition, false) === null, whereNot, `${name}, missing`)
  }
})

t.test('a conflict names its kind and holds the current revision', async (t) => {
  t.match(conflictOf({ kind: 'match', revisions: ['older'] }, true), {
    code: 'conflict',
    message: /^DOCUMENT_CONFLICT: changed in another session/,
    fields: { currentRevision: 'present' },
  })
  t.match(conflictOf({ kind: 'exists' }, false), {
    code: 'conflict',
    message: /^DOCUMENT_CONFLICT: /,
    fields: { currentRevision: null },
  })
})
