import { z } from 'zod'
import { mapInSlices } from '../core/concurrency/map-in-slices.ts'
import { LazyRows, type Rows } from '../core/documents/model/lazy-rows.ts'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { acceptedInput, accepts, replaceInput } from './accepted-input.ts'
import { type Context, declaredOutcomes, type Middleware, type RouteAnswer, type Routes } from './context.ts'
import { invalidInput, listUnknown } from './input-refusals.ts'

/** Row fields by the property that holds the list; '' where the answer itself is the list. */
type Lists = Map<string, Set<string>>

const fieldsParameter = (fieldNames: readonly string[]) => ({
  fields: z
    .string()
    .optional()
    .meta({
      type: 'array',
      items: { type: 'string', enum: fieldNames },
      minItems: 1,
      description: 'Names of fields: each row contains only these',
    }),
})

/** Adds `?fields=_id,name` to every list (`docs/interface.md#conventions`). */
export function withListFields(routes: Routes): Routes {
  for (const { methods, stack } of routes.stack) {
    const lists = methods.includes('GET')
      ? listsOf([...(declaredOutcomes(stack).answers?.values() ?? [])].flat())
      : null
    const input = acceptedInput(stack)
    if (!lists || lists.size === 0 || !input) continue
    const fieldNames = [...new Set([...lists.values()].flatMap((fields) => [...fields]))]
    replaceInput(
      stack,
      accepts({ query: { ...input.query, ...fieldsParameter(fieldNames) }, headers: input.headers }),
    )
    stack.splice(-1, 0, selectFields(lists, fieldNames))
  }
  return routes
}

const selectFields =
  (lists: Lists, fieldNames: readonly string[]): Middleware =>
  async (ctx, next) => {
    const names = requestedFields(ctx, fieldNames)
    await next()
    if (names && ctx.status === 200) ctx.body = await pickFields(ctx, lists, names)
  }

function requestedFields(ctx: Context, fieldNames: readonly string[]): readonly string[] | null {
  const { fields } = ctx.query
  if (fields === undefined) return null
  // Some generated clients repeat the parameter.
  const names = [fields].flat().flatMap((text) => text.split(',').map((name) => name.trim()))
  const unknown = names.filter((name) => !fieldNames.includes(name))
  if (unknown.length === 0) return names
  throw invalidInput(
    `There is no field ${listUnknown(unknown, fieldNames, String)} in this list. The fields are ${fieldNames.join(', ')}.`,
  )
}

async function pickFields(ctx: Context, lists: Lists, names: readonly string[]): Promise<unknown> {
  const body = bodyOf(ctx)
  if (Array.isArray(body)) return mapInSlices(body, (row) => pick(row, names))
  const listName = isPlainObject(body)
    ? [...lists.keys()].find((name) => Array.isArray(body[name]) || body[name] instanceof LazyRows)
    : undefined
  if (listName === undefined) return refuseFields(ctx)
  const object = body as Record<string, unknown>
  const list = object[listName] as Rows<object>
  const pickOf = (row: object) => pick(row, names)
  const rows = list instanceof LazyRows ? list.map(pickOf) : await mapInSlices(list, pickOf)
  return { ...object, [listName]: rows }
}

function bodyOf({ body, response }: Context): unknown {
  const isWritten = typeof body === 'string' || Buffer.isBuffer(body)
  return isWritten && response.is('json') ? JSON.parse(String(body)) : body
}

function refuseFields(ctx: Context): never {
  for (const header of ['Content-Type', 'Content-Disposition', 'ETag', 'Last-Modified']) ctx.remove(header)
  throw new WorkspaceError(
    'bad_request',
    'This is not a list. Leave ?fields= out, or request a folder or a view.',
  )
}

const pick = (row: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)))

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Finds answers that are an array of objects, or an object that holds exactly one. */
function listsOf(answers: readonly RouteAnswer[]): Lists {
  const lists: Lists = new Map()
  const add = (name: string, fields: readonly string[]) => {
    lists.set(name, new Set([...(lists.get(name) ?? []), ...fields]))
  }
  for (const answer of answers.flatMap(alternatives)) {
    if (answer instanceof z.ZodArray) add('', rowFields(answer))
    if (!(answer instanceof z.ZodObject)) continue
    const candidates = Object.entries(answer.shape).filter(([, type]) => rowFields(type).length > 0)
    if (candidates.length === 1) add(candidates[0]![0], rowFields(candidates[0]![1]))
  }
  return lists
}

const alternatives = (answer: RouteAnswer): z.ZodType[] => {
  if (typeof answer === 'string') return []
  return answer instanceof z.ZodUnion ? (answer.options as z.ZodType[]) : [answer]
}

function rowFields(type: unknown): string[] {
  if (!(type instanceof z.ZodArray)) return []
  if (type.element instanceof z.ZodDiscriminatedUnion) return []
  return alternatives(type.element as z.ZodType).flatMap((row) =>
    row instanceof z.ZodObject ? Object.keys(row.shape) : [],
  )
}
