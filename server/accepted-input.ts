import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { type Context, type Middleware, type Routes, refusalRoutes } from './context.ts'
import type { DescribedHeaders } from './described-headers.ts'
import { invalidInput, listUnknown } from './input-refusals.ts'
import { readBody } from './middleware/body.ts'
import { type FieldsOf, readFields, readQuery, type Shape } from './request-fields.ts'

export interface AcceptedInput {
  query: Shape
  body: 'none' | 'markdown' | 'file' | Shape
  headers: DescribedHeaders
}

interface RouteInput<Query extends Shape, Body extends Shape> extends Middleware {
  /** @throws WorkspaceError `bad_request` */
  query(ctx: Context): FieldsOf<Query>
  /** @throws WorkspaceError `invalid`, naming every wrong field; whatever `readJson` throws */
  fields(ctx: Context): Promise<FieldsOf<Body>>
}

type NoFields = Record<never, never>

interface Declaration<Query extends Shape, Body extends Shape> {
  query?: Query
  body?: 'markdown' | 'file' | Body
  headers?: DescribedHeaders
}

const emptyBody = /^\s*(?:\{\s*\}|null)?\s*$/
/** How much of an unwanted body is read to explain the refusal. */
const maxUnwantedBytes = 64 * 1024
const noBodyMessage = 'This request takes no body.'
const noEffectParameters = new Set(['GET', 'HEAD', 'DELETE'])

const acceptedBy = new WeakMap<object, AcceptedInput>()

/** Declares a route's input. Anything else is refused: a misspelled parameter must not be ignored. */
export function accepts<Query extends Shape = NoFields, Body extends Shape = NoFields>(
  declaration: Declaration<Query, Body>,
): RouteInput<Query, Body> {
  const query = declaration.query ?? ({} as Query)
  const { body = 'none', headers = {} } = declaration
  const names = Object.keys(query)
  const check: Middleware = (ctx, next) => {
    if (ctx.querystring !== '') refuseUnknownParameters(ctx, names)
    return body === 'none' && hasBody(ctx) ? refuseBody(ctx).then(next) : next()
  }
  acceptedBy.set(check, { query, body, headers })
  return Object.assign(check, {
    query: (ctx: Context) => readQuery(ctx, query),
    fields: (ctx: Context) => readFields(ctx, typeof body === 'object' ? body : ({} as Body)),
  })
}

export const acceptedInput = (stack: readonly object[]): AcceptedInput | undefined =>
  stack.map((middleware) => acceptedBy.get(middleware)).find((input) => input !== undefined)

export function replaceInput(stack: object[], input: object): void {
  stack[stack.findIndex((middleware) => acceptedBy.has(middleware))] = input
}

/** Gives routes without a declaration an empty one, so that no route silently ignores input. */
export function rejectUndeclaredInput(routes: Routes): Routes {
  for (const layer of routes.stack) {
    if (layer.name !== refusalRoutes && !acceptedInput(layer.stack)) layer.stack.unshift(accepts({}))
  }
  return routes
}

function refuseUnknownParameters(ctx: Context, known: readonly string[]): void {
  const unknown = Object.keys(ctx.query).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const format = (name: string) => `?${name}=`
  const alternatives =
    known.length === 0 ? 'There are none.' : `The parameters are ${known.map(format).join(', ')}.`
  throw invalidInput(`There is no parameter ${listUnknown(unknown, known, format)} here. ${alternatives}`)
}

const hasBody = ({ req }: Context): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

async function refuseBody(ctx: Context): Promise<void> {
  const body = await readUnwanted(ctx)
  if (emptyBody.test(body)) return
  const fields = fieldsIn(body)
  // HTTP gives such a body no meaning. One with fields, however, was meant to have an effect.
  if (fields.length === 0 && noEffectParameters.has(ctx.method)) return
  const which = fields.length === 0 ? '' : `There is no field ${listUnknown(fields, [], String)} here. `
  throw invalidInput(`${which}${noBodyMessage}`)
}

async function readUnwanted(ctx: Context): Promise<string> {
  try {
    return (await readBody(ctx, maxUnwantedBytes, 'An unexpected body')).toString()
  } catch (error) {
    const isUnreadable =
      error instanceof WorkspaceError && ['too_large', 'unsupported_media_type'].includes(error.code)
    throw isUnreadable ? invalidInput(noBodyMessage) : error
  }
}

function fieldsIn(body: string): string[] {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  } catch {
    return []
  }
}
