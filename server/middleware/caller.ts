import { WorkspaceError } from '../../core/errors.ts'
import type { Caller } from '../../core/members/types.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { BrowserSessions } from '../browser-sessions.ts'
import { callerAddress } from '../caller-address.ts'
import type { Context, Middleware } from '../context.ts'
import type { InvalidKeys } from '../invalid-keys.ts'
import { RequestRate } from '../request-rate.ts'

const bearerForm = /^Bearer +(\S+)$/i

export interface CallerOptions {
  trustProxy: boolean
  /** By key or session; null: no limit. */
  requestsPerMinute: number | null
  browserSessions: BrowserSessions
  invalidKeys: InvalidKeys
}

/**
 * Finds out whom a request acts as (`interface.md`, Authentication): under `/api` and `/v1` nobody learns
 * anything without a valid key, not even which paths there are. Onboarding alone needs none. `/metrics` takes one too.
 * A browser in which somebody is signed in sends its cookie instead.
 */
export function caller(
  workspace: Pick<Workspace, 'members' | 'clock' | 'refresh'>,
  { trustProxy, requestsPerMinute, browserSessions, invalidKeys }: CallerOptions,
): Middleware {
  const rate = requestsPerMinute === null ? null : new RequestRate(requestsPerMinute, workspace.clock)

  /**
   * Keys that the command line has just added or revoked count at once. Requests that are handed over together
   * (`by-turn.ts`) share one look, which is made after all of them were sent.
   */
  let isRefreshed = false
  const refreshOnArrival = () => {
    if (isRefreshed) return
    isRefreshed = true
    queueMicrotask(() => {
      isRefreshed = false
    })
    workspace.refresh()
  }

  /** Whoever names a key acts by that, wherever they are signed in. A cookie that opens nothing is none. */
  const bySession = (ctx: Context): Caller | null => {
    const session = ctx.req.headers.authorization === undefined ? browserSessions.find(ctx) : null
    if (!session) return null
    if (!isReading(ctx.method)) browserSessions.requireOwnChange(ctx, session, ctx.get('X-CSRF-Token'))
    rate?.admit(session.id)
    return session.caller
  }

  const byKey = (ctx: Context): Caller => {
    const key = bearerForm.exec(ctx.req.headers.authorization ?? '')?.[1]
    if (key === undefined) {
      throw new WorkspaceError('unauthorized', 'Send your key in the header Authorization: Bearer <key>.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    }
    const address = callerAddress(ctx.req, trustProxy)
    invalidKeys.admit(address)
    refreshOnArrival()
    const caller = workspace.members.authenticate(key)
    if (caller === null) {
      invalidKeys.count(address)
      throw new WorkspaceError(
        'unauthorized',
        'This key is not valid: it is unknown, it was revoked, or its member was deactivated.',
      )
    }
    rate?.admit(key)
    return caller
  }

  return (ctx, next) => {
    if (!needsKey(ctx.path) || isOnboarding(ctx)) return next()
    ctx.state.caller = bySession(ctx) ?? byKey(ctx)
    return next()
  }
}

const needsKey = (path: string) =>
  path.startsWith('/v1/') ||
  path.startsWith('/api/') ||
  path === '/v1' ||
  path === '/api' ||
  path === '/metrics' ||
  // The router takes it for the same.
  path === '/metrics/'

/** Whoever comes with an invite has no key yet. */
const isOnboarding = (ctx: Context) => ctx.method === 'POST' && ctx.path === '/v1/onboard'

/** What changes nothing, so that it needs no proof of where it comes from. */
const isReading = (method: string) => method === 'GET' || method === 'HEAD'
