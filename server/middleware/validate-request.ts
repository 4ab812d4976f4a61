import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { percentDecode } from '../../core/text/percent-decode.ts'
import type { Context, Middleware } from '../context.ts'

/**
 * The path of a request's target.
 * @throws WorkspaceError `bad_request` if it has none (`foo://host`) or is no URL (`http://[`)
 */
export function requirePath(ctx: Pick<Context, 'path'>): string {
  try {
    if (ctx.path !== null) return ctx.path
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_URL')) throw error
  }
  throw new WorkspaceError('bad_request', 'The request target cannot be read as a path.')
}

export const requireValidTarget: Middleware = (ctx, next) => {
  requirePath(ctx)
  return next()
}

/** An encoded `/`, `\` or NUL; `.` and `..`, also encoded; an empty name before the last. */
const invalidPath = /%(?:2f|5c|00)|\/(?:\.|%2e){1,2}(?:\/|$)|\/\//i

const separators: Record<string, string> = { '%2f': 'a slash', '%5c': 'a backslash', '%00': 'a NUL' }

const isInvalidName = (name: string, isLast: boolean): boolean =>
  name === '' ? !isLast : /^(?:\.|%2e){1,2}$|%(?:2f|5c|00)/i.test(name)

function describeInvalidName(path: string): string {
  const [, ...names] = path.split('/')
  const index = names.findIndex((name, position) => isInvalidName(name, position === names.length - 1))
  const name = names[index]!
  const before = names.slice(0, index).map((segment) => `/${segment}`)
  const location = before.length === 0 ? 'at the beginning' : `after ${shorten(before.join(''))}`
  if (name === '') return `the path has an empty segment ${location}`
  const separator = /%(?:2f|5c|00)/i.exec(name)?.[0].toLowerCase()
  const detail = separator === undefined ? '' : `, which holds ${separators[separator]} (${separator})`
  return `the path has ${JSON.stringify(shorten(name))} ${location}${detail}`
}

const maxLength = 200

const shorten = (text: string) => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)

/** Names are decoded one by one, so that an encoded separator leads into no other folder. */
export const requireValidRequest: Middleware = (ctx, next) => {
  if (ctx.req.headers.host === undefined && ctx.req.httpVersion === '1.1') {
    throw new WorkspaceError('bad_request', 'A request needs the header Host.')
  }
  if (ctx.path.includes('%') && percentDecode(ctx.path) === null) {
    throw new WorkspaceError('bad_request', 'The path contains a % that does not encode a UTF-8 byte.')
  }
  if (invalidPath.test(ctx.path)) {
    throw new WorkspaceError('not_found', `Invalid path: ${describeInvalidName(ctx.path)}.`)
  }
  return next()
}
