import { z } from 'zod'
import { memberTypes } from '../../core/access/member.ts'
import { responseCodes, treeErrorCodes } from '../error-codes.ts'
import type { Shape } from '../request-fields.ts'

/** Schemas that the description names (`/openapi.json`). */
export const models = new Map<z.ZodType, string>()

/** @param id the name in the description, such as `Room` */
export function model<T extends z.ZodType>(id: string, schema: T): T {
  models.set(schema, id)
  return schema
}

/** Request bodies shared by several operations. */
export const bodyModels = new Map<Shape, string>()

/** @param id as for `model` */
export function bodyModel<S extends Shape>(id: string, shape: S): S {
  bodyModels.set(shape, id)
  return shape
}

/** Epoch milliseconds. */
export const time = z.int()

export const author = model(
  'Author',
  z.object({ _id: z.string(), name: z.string(), type: z.enum(memberTypes) }),
)

/** Members who were mentioned but not notified, and why. Absent if there are none. */
export const unreached = {
  unreached: z.array(z.object({ memberId: z.string(), name: z.string(), reason: z.string() })).optional(),
}

/** Present while files are being ingested: entries may be missing. */
export const ingesting = {
  ingesting: z.object({ done: z.int(), total: z.int() }).exactOptional(),
}

export const done = model('Done', z.object({ ok: z.literal(true) }))

/** What a program needs to continue after certain refusals. */
const particulars = {
  limitBytes: z.int().exactOptional(),
  downloadUrl: z.string().exactOptional(),
  currentRevision: z.string().nullable().exactOptional(),
  path: z.string().exactOptional(),
  block: z.string().exactOptional(),
  blocks: z.array(z.unknown()).exactOptional(),
  allBlocks: z.string().exactOptional(),
  edit: z.int().exactOptional(),
  found: z.int().exactOptional(),
  expectedCount: z.int().exactOptional(),
  text: z.string().exactOptional(),
  textLength: z.int().exactOptional(),
  allText: z.string().exactOptional(),
  version: z.int().exactOptional(),
  draftRevision: z.int().exactOptional(),
}

export const error = model(
  'Refusal',
  z.object({ error: z.string(), code: z.enum(responseCodes), requestId: z.string(), ...particulars }),
)

/** In the tree, `error` is the code and `message` the text. */
export const treeError = model(
  'TreeRefusal',
  z.object({ error: z.enum(treeErrorCodes), message: z.string(), requestId: z.string(), ...particulars }),
)
