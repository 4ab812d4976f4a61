import { z } from 'zod'
import { memberTypes } from '../../core/access/member.ts'

/** The models that the description of the interface names (`/openapi.json`). */
export const models = z.registry<{ id: string }>()

/** @param id of the model in the description, such as `Room` */
export function model<T extends z.ZodType>(id: string, schema: T): T {
  models.add(schema, { id })
  return schema
}

/** Milliseconds since 1970. */
export const time = z.int()

export const author = model(
  'Author',
  z.object({ _id: z.string(), name: z.string(), type: z.enum(memberTypes) }),
)

/** Members who were mentioned and are not told, each with the reason; absent where there are none. */
export const unreached = {
  unreached: z.array(z.object({ memberId: z.string(), name: z.string(), reason: z.string() })).optional(),
}

export const done = z.object({ ok: z.literal(true) })
