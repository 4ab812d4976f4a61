import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Context, Middleware } from '../context.ts'

/** Null where the target has no path (`foo://host`) or is no address at all (`http://[`). */
function pathOf(ctx: Context): string | null {
  try {
    return ctx.path
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_URL') return null
    throw error
  }
}

function isEncoded(path: string): boolean {
  try {
    return decodeURIComponent(path).length > 0
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

export const requireValidTarget: Middleware = (ctx, next) => {
  if (pathOf(ctx) === null)
    throw new WorkspaceError('bad_request', 'The request target cannot be read as a path.')
  return next()
}

/** An encoded `/`, `\` or NUL; `.` and `..`, plain or encoded; an empty name between two others. */
const noName = /%(?:2f|5c|00)|\/(?:\.|%2e){1,2}(?:\/|$)|\/\//i

const separators: Record<string, string> = { '%2f': 'a slash', '%5c': 'a backslash', '%00': 'a NUL' }

const isInvalidName = (name: string, isLast: boolean): boolean =>
  name === '' ? !isLast : /^(?:\.|%2e){1,2}$|%(?:2f|5c|00)/i.test(name)

/** The invalid part of a path, with its position. */
function describeInvalidName(path: string): string {
  const [, ...names] = path.split('/')
  const index = names.findIndex((name, place) => isInvalidName(name, place === names.length - 1))
  const name = names[index]!
  const before = names.slice(0, index).map((above) => `/${above}`)
  const where = before.length === 0 ? 'at the beginning' : `after ${shorten(before.join(''))}`
  if (name === '') return `the path has an empty segment ${where}`
  const separator = /%(?:2f|5c|00)/i.exec(name)?.[0].toLowerCase()
  const holding = separator === undefined ? '' : `, which holds ${separators[separator]} (${separator})`
  return `the path has ${JSON.stringify(shorten(name))} ${where}${holding}`
}

/** In a message, in characters. */
const maxLength = 200

const shorten = (text: string) => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)

/**
 * Refuses what Node lets through though no route should see it: HTTP/1.1 without a `Host`, a broken
 * percent-encoding, and names that no file can have. Names in a path are decoded one by one, so that an encoded
 * separator is no way into another folder.
 */
export const requireValidRequest: Middleware = (ctx, next) => {
  if (ctx.req.headers.host === undefined && ctx.req.httpVersion === '1.1') {
    throw new WorkspaceError('bad_request', 'A request needs the header Host.')
  }
  if (ctx.path.includes('%') && !isEncoded(ctx.path)) {
    throw new WorkspaceError('bad_request', 'The path contains a % that does not encode a UTF-8 byte.')
  }
  if (noName.test(ctx.path)) {
    throw new WorkspaceError('not_found', `Invalid path: ${describeInvalidName(ctx.path)}.`)
  }
  return next()
}
