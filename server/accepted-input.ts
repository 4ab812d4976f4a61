import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { suggestName } from './closest-name.ts'
import { type Context, type Middleware, type Routes, refusalRoutes } from './context.ts'
import { readBody } from './middleware/body.ts'

/** What a route takes beside its path and its headers. */
export interface AcceptedInput {
  query: readonly string[]
  /** `json`: an object, whose fields the handler names to `readFields`. */
  body: 'none' | 'json' | 'markdown' | 'file'
}

/** An empty body is as good as none, however a client spells it. */
const emptyBody = /^\s*(?:\{\s*\}|null)?\s*$/
/** Where no body is wanted, this many bytes of one are read to say what is wrong with it. */
const unwantedBytes = 64 * 1024
const noEffectParameters = new Set(['GET', 'HEAD', 'DELETE'])
/** Of the names in a refusal, and the characters of each: both come from the caller. */
const maxNames = 20
const maxNameLength = 40

const acceptedBy = new WeakMap<object, AcceptedInput>()

/**
 * Declares the input of a route; used between the path and the handler. Anything else is refused by name: ignoring
 * a misspelled parameter would answer another question.
 */
export function accepts({ query = [], body = 'none' }: Partial<AcceptedInput>): Middleware {
  const input: AcceptedInput = { query, body }
  const check: Middleware = (ctx, next) => {
    if (ctx.querystring !== '') refuseUnknownParameters(ctx, query)
    return body === 'none' && hasBody(ctx) ? refuseBody(ctx).then(next) : next()
  }
  acceptedBy.set(check, input)
  return check
}

export const acceptedInput = (stack: readonly object[]): AcceptedInput | undefined =>
  stack.map((middleware) => acceptedBy.get(middleware)).find((input) => input !== undefined)

/** Makes routes that declare nothing take nothing, so that none can forget it. */
export function rejectUndeclaredInput(routes: Routes): Routes {
  for (const layer of routes.stack) {
    if (layer.name !== refusalRoutes && !acceptedInput(layer.stack)) layer.stack.unshift(accepts({}))
  }
  return routes
}

/**
 * What is wrong with the input of a request: 400 on the JSON endpoints, 422 in the tree (`docs/interface.md#errors`).
 */
export const invalidInput = (message: string): WorkspaceError => new WorkspaceError('invalid', message)

/**
 * The names that are not known, each with the one that was probably meant, for the middle of a sentence.
 * @param show puts a name as the caller wrote it
 */
export function listUnknown(
  unknown: readonly string[],
  known: readonly string[],
  show: (name: string) => string,
  meant: (name: string) => string | null = (name) => suggestName(name, known),
): string {
  const shown = unknown.slice(0, maxNames).map((name) => {
    const right = meant(name)
    return right === null
      ? show(quotedName(name))
      : `${show(quotedName(name))} (did you mean ${show(right)}?)`
  })
  const left = unknown.length - shown.length
  return shown.join(', ') + (left === 0 ? '' : ` and ${left} more`)
}

/** A name that came from the caller, as it is shown: cut, and in quotes where it is no plain word. */
export function quotedName(name: string): string {
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
  return /^[\w.$-]+…?$/.test(short) ? short : JSON.stringify(short)
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
  const body = (await readBody(ctx, unwantedBytes, 'An unexpected body')).toString()
  if (emptyBody.test(body)) return
  const fields = fieldsIn(body)
  // The body of a reading or a DELETE means nothing by HTTP itself; fields in it were meant to mean something.
  if (fields.length === 0 && noEffectParameters.has(ctx.method)) return
  const which = fields.length === 0 ? '' : `There is no field ${listUnknown(fields, [], String)} here. `
  throw invalidInput(`${which}This call takes no body.`)
}

function fieldsIn(body: string): string[] {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  } catch {
    return []
  }
}
