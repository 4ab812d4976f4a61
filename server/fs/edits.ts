import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Edit } from '../../core/markdown/index.ts'
import type { RouteContext } from '../context.ts'
import { HttpError } from '../error-response.ts'
import { invalidInput } from '../input-refusals.ts'
import { mustBe } from '../input-types.ts'
import { fieldsOf, readFields } from '../request-fields.ts'

interface SentEdits {
  edits: Edit[]
  expectedRevision: string | undefined
}

const maxEdits = 100
/** In UTF-16 code units: the time to find a text grows with its length. */
const maxFindLength = 10_000

const append = { append: z.string() }
const block = { block: z.string(), text: z.string() }
const find = { find: z.string(), replace: z.string(), expectedCount: z.int().optional() }

/** Which kind an edit is, is said of each by its place (`parseEdit`). */
const kinds = z.toJSONSchema(z.array(z.union([append, block, find].map((shape) => z.strictObject(shape)))))

export const editFields = {
  edits: mustBe(z.array(z.looseObject({})).meta({ ...kinds, maxItems: maxEdits }), 'a list of objects'),
  expectedRevision: z.string().optional(),
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
  const { edits, expectedRevision } = await readFields(ctx, editFields, limitBytes)
  if (edits.length === 0 || edits.length > maxEdits) {
    throw invalidInput(`The field edits must contain 1 to ${maxEdits} edits, not ${edits.length}.`)
  }
  return { edits: edits.map(parseEdit), expectedRevision }
}

function parseEdit(edit: object, index: number): Edit {
  const name = `edits[${index}]`
  const named = ['block', 'find', 'append'].filter((kind) => Object.hasOwn(edit, kind))
  if (named.length !== 1) {
    throw invalidInput(
      `${name} must contain exactly one of block (with text), find (with replace) and append, not ${named.join(' and ') || 'none'}.`,
    )
  }
  if (named[0] === 'append') return fieldsOf(edit, append, name)
  if (named[0] === 'block') return fieldsOf(edit, block, name)
  const { expectedCount = 1, ...sought } = fieldsOf(edit, find, name)
  const { length } = sought.find
  if (length === 0 || length > maxFindLength) {
    throw invalidInput(`${name}: find must be 1 to ${maxFindLength} characters long, not ${length}.`)
  }
  if (expectedCount < 1) throw invalidInput(`${name}: expectedCount must be at least 1.`)
  return { ...sought, expectedCount }
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
