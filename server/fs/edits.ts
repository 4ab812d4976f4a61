import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Edit } from '../../core/markdown/index.ts'
import { invalidInput } from '../accepted-input.ts'
import type { RouteContext } from '../context.ts'
import { HttpError } from '../error-response.ts'
import {
  type FieldType,
  fieldsOf,
  integer,
  objectField,
  optional,
  readFields,
  text,
} from '../request-fields.ts'

interface SentEdits {
  edits: Edit[]
  expectedRevision: string | undefined
}

const maxEdits = 100
/** In UTF-16 code units: the time to find a text grows with its length. */
const maxFindLength = 10_000

const objects: FieldType<object[]> = {
  description: 'a list of objects',
  isOf: (value): value is object[] => Array.isArray(value) && value.every(objectField.isOf),
}

/**
 * The body of a PATCH: `{ edits, expectedRevision? }`.
 * @throws WorkspaceError `unsupported_media_type`; `invalid`, naming the edit and the field; what `readFields` throws
 */
export async function readEdits(ctx: RouteContext, limitBytes: number): Promise<SentEdits> {
  if (!ctx.is('application/json')) {
    throw new HttpError(
      'unsupported_media_type',
      'Send the edits as JSON, with Content-Type: application/json.',
      { 'Accept-Patch': 'application/json' },
    )
  }
  const { edits, expectedRevision } = await readFields(
    ctx,
    { edits: objects, expectedRevision: optional(text) },
    limitBytes,
  )
  if (edits.length === 0 || edits.length > maxEdits) {
    throw invalidInput(`The field edits must hold 1 to ${maxEdits} edits, not ${edits.length}.`)
  }
  return { edits: edits.map(parseEdit), expectedRevision }
}

function parseEdit(edit: object, index: number): Edit {
  const name = `edits[${index}]`
  const kinds = ['block', 'find', 'append'].filter((kind) => Object.hasOwn(edit, kind))
  if (kinds.length !== 1) {
    throw invalidInput(
      `${name} must hold exactly one of block (with text), find (with replace) and append, not ${kinds.join(' and ') || 'none'}.`,
    )
  }
  if (kinds[0] === 'append') return fieldsOf(edit, { append: text }, name)
  if (kinds[0] === 'block') return fieldsOf(edit, { block: text, text }, name)
  const shape = { find: text, replace: text, expectedCount: optional(integer) }
  const { find, replace, expectedCount = 1 } = fieldsOf(edit, shape, name)
  if (find === '' || find.length > maxFindLength) {
    throw invalidInput(`${name}: find must be 1 to ${maxFindLength} characters long, not ${find.length}.`)
  }
  if (expectedCount < 1) throw invalidInput(`${name}: expectedCount must be at least 1.`)
  return { find, replace, expectedCount }
}

/** With the revision of now, as a read has it, on what a conflict says. */
export async function withRevisionOfConflict<T>(ctx: RouteContext, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const revision = error instanceof WorkspaceError ? error.fields.currentRevision : undefined
    if (typeof revision === 'string') {
      ctx.set('ETag', `"${revision}"`)
      ctx.set('X-Service-Revision', revision)
    }
    throw error
  }
}
