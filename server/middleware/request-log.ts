import type { Middleware } from '../context.ts'
import type { Log } from '../log.ts'

/**
 * One line a request: who asked for what, what was answered, and how long it took.
 * Of the query only the names are kept, since a value can be a secret.
 */
export const requestLog =
  (log: Log): Middleware =>
  async (ctx, next) => {
    const startedMs = performance.now()
    await next()
    const [path = '', query] = ctx.req.url!.split('?', 2)
    log.info(
      {
        requestId: ctx.state.requestId,
        memberId: ctx.state.caller?.member.id,
        method: ctx.method,
        path,
        query: query === undefined ? undefined : [...new URLSearchParams(query).keys()],
        status: ctx.status,
        ms: Math.round((performance.now() - startedMs) * 10) / 10,
      },
      'request',
    )
  }
