import type { Context, Middleware } from '../context.ts'
import type { Log } from '../log.ts'

/** A link that works without a key. */
const secretLink = /^(\/(?:unsubscribe|download)\/).+/

/**
 * One line a request: who asked for what, what was answered, and how long it took.
 * Of the query only the names are kept, since a value can be a secret, and of a link that is one only its beginning.
 * @param onAnswered hears of each request as well
 */
export const requestLog =
  (log: Log, onAnswered: (ctx: Context, ms: number) => void = () => {}): Middleware =>
  async (ctx, next) => {
    const startedMs = performance.now()
    await next()
    const ms = performance.now() - startedMs
    onAnswered(ctx, ms)
    const [path = '', query] = ctx.req.url!.split('?', 2)
    log.info(
      {
        requestId: ctx.state.requestId,
        memberId: ctx.state.caller?.member.id,
        method: ctx.method,
        path: path.replace(secretLink, '$1…'),
        query: query === undefined ? undefined : [...new URLSearchParams(query).keys()],
        status: ctx.status,
        ms: Math.round(ms * 10) / 10,
      },
      'request',
    )
  }
