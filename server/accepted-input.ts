import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { type Context, type Middleware, type Routes, refusalRoutes } from './context.ts'
import type { DescribedHeaders } from './described-headers.ts'
import { invalidInput, listUnknown } from './input-refusals.ts'
import { readBody } from './middleware/body.ts'
import { type FieldsOf, readFields, readQuery, type Shape } from './request-fields.ts'

/** What a route takes beside its path. */
export interface AcceptedInput {
  query: Shape
  /** A shape: a JSON object with these fields. */
  body: 'none' | 'markdown' | 'file' | Shape
  /** Those that it reads, beside what every request may carry. */
  headers: DescribedHeaders
}

/** The input of a route, between its path and its handler: checks it, and reads it for the handler. */
interface RouteInput<Query extends Shape, Body extends Shape> extends Middleware {
  /**
   * The parameters of a query.
   * @throws WorkspaceError `bad_request` for one that is repeated or has a wrong value
   */
  query(ctx: Context): FieldsOf<Query>
  /**
   * The fields of a JSON body.
   * @throws WorkspaceError `invalid`, naming every field that is unknown, missing or of a wrong type; what `readJson`
   *   throws
   */
  fields(ctx: Context): Promise<FieldsOf<Body>>
}

/** Of an input that declares none. */
type NoFields = Record<never, never>

interface Declaration<Query extends Shape, Body extends Shape> {
  query?: Query
  body?: 'markdown' | 'file' | Body
  headers?: DescribedHeaders
}

/** An empty body is as good as none, however a client spells it. */
const emptyBody = /^\s*(?:\{\s*\}|null)?\s*$/
/** Where no body is wanted, this many bytes of one are read to say what is wrong with it. */
const unwantedBytes = 64 * 1024
const noBodyTaken = 'This request takes no body.'
const noEffectParameters = new Set(['GET', 'HEAD', 'DELETE'])

const acceptedBy = new WeakMap<object, AcceptedInput>()

/**
 * Declares the input of a route; used between the path and the handler. Anything else is refused by name: ignoring
 * a misspelled parameter would answer another question.
 */
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

/** Puts another input in the place of the one that a route declares. */
export function replaceInput(stack: object[], input: object): void {
  stack[stack.findIndex((middleware) => acceptedBy.has(middleware))] = input
}

/** Makes routes that declare nothing take nothing, so that none can forget it. */
export function rejectUndeclaredInput(routes: Routes): Routes {
  for (const layer of routes.stack) {
    if (layer.name !== refusalRoutes && !acceptedInput(layer.stack)) layer.stack.unshift(accepts({}))
  }
  return routes
}

function refuseUnknownParameters(ctx: Context, known: readonly string[]): void {
  const unknown = Object.keys(ctx.query).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const show = (name: string) => `?${name}=`
  const instead = known.length === 0 ? 'There are none.' : `The parameters are ${known.map(show).join(', ')}.`
  throw invalidInput(`There is no parameter ${listUnknown(unknown, known, show)} here. ${instead}`)
}

const hasBody = ({ req }: Context): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

async function refuseBody(ctx: Context): Promise<void> {
  const body = await readUnwanted(ctx)
  if (emptyBody.test(body)) return
  const fields = fieldsIn(body)
  // The body of a reading or a DELETE means nothing by HTTP itself; fields in it were meant to mean something.
  if (fields.length === 0 && noEffectParameters.has(ctx.method)) return
  const which = fields.length === 0 ? '' : `There is no field ${listUnknown(fields, [], String)} here. `
  throw invalidInput(`${which}${noBodyTaken}`)
}

/** @throws WorkspaceError `invalid` also for one that is too long to look at, or compressed */
async function readUnwanted(ctx: Context): Promise<string> {
  try {
    return (await readBody(ctx, unwantedBytes, 'An unexpected body')).toString()
  } catch (error) {
    const isUnread =
      error instanceof WorkspaceError && ['too_large', 'unsupported_media_type'].includes(error.code)
    throw isUnread ? invalidInput(noBodyTaken) : error
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
