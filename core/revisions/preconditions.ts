import type { NextStep } from '../errors/next-step.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

/** `docs/interface.md#writing-a-file` */
export type Precondition =
  | { kind: 'none' }
  /** One of these revisions must be the current one. */
  | { kind: 'match'; revisions: string[] }
  | { kind: 'exists' }
  | { kind: 'create' }

/** @throws WorkspaceError `conflict`, with the field `currentRevision` */
export function requirePrecondition(
  precondition: Precondition,
  record: { revision: string } | null,
  noun: string,
): void {
  const code = `${noun.toUpperCase()}_CONFLICT`
  const currentRevision = record?.revision ?? null
  const conflict = (message: string, next?: NextStep) => {
    throw new WorkspaceError('conflict', `${code}: ${message}`, {
      fields: { currentRevision },
      ...(next && { next }),
    })
  }
  switch (precondition.kind) {
    case 'none':
      return
    case 'create':
      if (record) conflict(`there is a ${noun} of this name already.`, { step: 'replace it' })
      return
    case 'exists':
      if (!record) conflict(`there is no ${noun} of this name.`, { step: 'create it' })
      return
    case 'match':
      if (!record) conflict(`there is no ${noun} of this name (any more).`, { step: 'create it' })
      if (!precondition.revisions.includes(record!.revision)) {
        conflict('changed in another session. Read it again, merge, and write with the new revision.')
      }
  }
}
