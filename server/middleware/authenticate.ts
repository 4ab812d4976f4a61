import { hash } from 'node:crypto'
import type { Caller } from '../../core/access/member.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { isInMount } from '../../core/paths.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { callerAddress } from '../caller-address.ts'
import type { Context, Middleware } from '../context.ts'
import { HttpError } from '../error-response.ts'
import { invalidKey } from '../invalid-keys.ts'
import type { ServerParts } from '../parts.ts'
import { RateLimit } from '../rate-limit.ts'
import { isToolRequest } from '../tool-requests.ts'

/** Accepts keys only: a browser's session is no credential there. */
const mcpPath = '/mcp'

const bearerPattern = /^Bearer +(\S+)$/i
const basicPattern = /^Basic +([\w+/=-]+)$/i

/** Without a key, nothing is revealed, not even which paths exist (`docs/interface.md#authentication`). */
export function caller(
  workspace: Pick<Workspace, 'directory' | 'clock' | 'maintenance'>,
  {
    trustProxy,
    limits: { requestsPerMinute },
    browserSessions,
    invalidKeys,
  }: Pick<ServerParts, 'trustProxy' | 'limits' | 'browserSessions' | 'invalidKeys'>,
): Middleware {
  const rate = requestsPerMinute === null ? null : requestRate(requestsPerMinute, workspace.clock)

  /** Finds keys changed by the command line. Requests of one turn share the check (`batch-per-turn.ts`). */
  let isRefreshed = false
  const refreshOnArrival = () => {
    if (isRefreshed) return
    isRefreshed = true
    queueMicrotask(() => {
      isRefreshed = false
    })
    workspace.maintenance.refresh()
  }

  /** A key takes precedence. An invalid cookie is ignored. */
  const callerBySession = (ctx: Context): Caller | null => {
    if (isInMount(ctx.path) || ctx.path === mcpPath) return null
    const session = ctx.req.headers.authorization === undefined ? browserSessions.find(ctx) : null
    if (!session) return null
    if (!isReadMethod(ctx.method)) browserSessions.requireCsrfToken(ctx, session, ctx.get('X-CSRF-Token'))
    rate?.admit(hashOf(session.id))
    return session.caller
  }

  const callerByKey = (ctx: Context): Caller => {
    const key = keyOf(ctx)
    if (key === undefined) {
      if (isInMount(ctx.path)) throw basicAuthError('Send a key as the password, with any user name.')
      throw new HttpError('unauthorized', 'Send your key in the header Authorization: Bearer <key>.', {
        'WWW-Authenticate': 'Bearer',
      })
    }
    const address = callerAddress(ctx.req, trustProxy)
    invalidKeys.requireBelowLimit(address)
    refreshOnArrival()
    const caller = workspace.directory.members.authenticate(key)
    if (caller === null) {
      invalidKeys.count(address, key)
      throw invalidKeyError(ctx.path)
    }
    // A tool call counts as one request, however many it makes.
    if (!isToolRequest(ctx.req)) rate?.admit(hashOf(key))
    return caller
  }

  return (ctx, next) => {
    if (!needsKey(ctx.path) || isOnboarding(ctx) || isOptionsRequest(ctx)) return next()
    ctx.state.caller = callerBySession(ctx) ?? callerByKey(ctx)
    return next()
  }
}

/** On the mount, the key may also be the password of Basic authentication, with any user name (RFC 7617). */
function keyOf({ path, req }: Context): string | undefined {
  const header = req.headers.authorization ?? ''
  const basic = isInMount(path) ? basicPattern.exec(header)?.[1] : undefined
  if (basic === undefined) return bearerPattern.exec(header)?.[1]
  const password = Buffer.from(basic, 'base64')
    .toString()
    .replace(/^[^:]*:?/, '')
  return password === '' ? undefined : password
}

const basicAuthError = (message: string) =>
  new HttpError('unauthorized', message, {
    'WWW-Authenticate': 'Basic realm="Workroom", charset="UTF-8"',
  })

/** By this header, MCP clients distinguish an invalid key from a missing one (RFC 6750). */
function invalidKeyError(path: string): WorkspaceError {
  if (isInMount(path)) return basicAuthError(invalidKey)
  if (path !== mcpPath) return new WorkspaceError('unauthorized', invalidKey)
  return new HttpError('unauthorized', invalidKey, { 'WWW-Authenticate': 'Bearer error="invalid_token"' })
}

/** Clients ask what a server supports before they ask for a password. */
const isOptionsRequest = ({ method, path, req }: Context) =>
  method === 'OPTIONS' && isInMount(path) && req.headers.authorization === undefined

const needsKey = (path: string) =>
  isInMount(path) ||
  path.startsWith('/v1/') ||
  path.startsWith('/api/') ||
  path === '/v1' ||
  path === '/api' ||
  path === mcpPath ||
  path === '/metrics' ||
  // The router treats both alike.
  path === '/metrics/'

const isOnboarding = (ctx: Context) => ctx.method === 'POST' && ctx.path === '/v1/onboard'

const isReadMethod = (method: string) => method === 'GET' || method === 'HEAD'

const requestRate = (requestsPerMinute: number, clock: Clock): RateLimit =>
  new RateLimit({
    limit: requestsPerMinute,
    windowMs: 60 * 1000,
    maxKeys: 10_000,
    reason: `This key may make ${requestsPerMinute} requests a minute.`,
    clock,
  })

const hashOf = (key: string): string => hash('sha256', key, 'base64')
