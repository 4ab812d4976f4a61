import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Edit } from '../../core/markdown/index.ts'
import type { RouteContext } from '../context.ts'
import { HttpError } from '../error-response.ts'
import { mustBe, refusedAs } from '../input-types.ts'
import { problemOfFields, readFields } from '../request-fields.ts'
import { bodyModel } from '../schemas/model.ts'

interface SentEdits {
  edits: Edit[]
  expectedRevision: string | undefined
}

const maxEdits = 100
/** UTF-16 code units. Searching takes longer for longer texts. */
const maxFindLength = 10_000

const append = { append: z.string() }
const block = { block: z.string(), text: z.string() }
const find = {
  find: refusedAs(
    z.string().min(1).max(maxFindLength),
    z.string(),
    ({ length }, edit) => `${edit}: find must be 1 to ${maxFindLength} characters long, not ${length}.`,
  ),
  replace: z.string(),
  expectedCount: refusedAs(
    z.int().min(1),
    z.int(),
    (_, edit) => `${edit}: expectedCount must be at least 1.`,
  ).default(1),
}
const shapes = { block, find, append }

const edits = z
  .array(z.union([z.strictObject(block), z.strictObject(find), z.strictObject(append)]))
  .min(1)
  .max(maxEdits)

export const editFields = bodyModel('FileEdits', {
  edits: refusedAs(edits, mustBe(z.array(z.looseObject({})), 'a list of objects'), problemOfEdits),
  expectedRevision: z.string().optional(),
})

/**
 * @throws WorkspaceError `unsupported_media_type`; `invalid`, naming the edit; whatever `readFields` throws
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
  return { edits, expectedRevision }
}

function problemOfEdits(edits: readonly object[]): string | null {
  if (edits.length === 0 || edits.length > maxEdits)
    return `The field edits must contain 1 to ${maxEdits} edits, not ${edits.length}.`
  for (const [index, edit] of edits.entries()) {
    const problem = problemOfEdit(edit, `edits[${index}]`)
    if (problem !== null) return problem
  }
  return null
}

function problemOfEdit(edit: object, name: string): string | null {
  const kinds = (['block', 'find', 'append'] as const).filter((kind) => Object.hasOwn(edit, kind))
  const [kind] = kinds
  if (kind !== undefined && kinds.length === 1) return problemOfFields(edit, shapes[kind], name)
  return `${name} must contain exactly one of block (with text), find (with replace) and append, not ${kinds.join(' and ') || 'none'}.`
}

/** Adds the current revision to the headers of a conflict. */
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
