import type { Context, Middleware } from '../context.ts'
import type { RefusedRequest } from '../http-server.ts'
import type { Log } from '../log.ts'

/** A link that works without a key. */
const secretLink = /^((?:https?:\/\/[^/]*)?\/(?:unsubscribe|download|signin)\/).+/i

/**
 * Logs one line for each request: method, path, status, duration. Of the query only names are logged, since values
 * can be secret, and of secret links only the beginning.
 * @param onAnswered is called for each request
 */
export const requestLog =
  (log: Log, onAnswered: (ctx: Context, ms: number) => void = () => {}): Middleware =>
  async (ctx, next) => {
    const startedMs = performance.now()
    await next()
    const ms = performance.now() - startedMs
    onAnswered(ctx, ms)
    const [path, query] = partsOf(ctx.req.url!)
    log.info(
      {
        requestId: ctx.state.requestId,
        memberId: ctx.state.caller?.member.id,
        method: ctx.method,
        path,
        query,
        status: ctx.status,
        ms: Math.round(ms * 10) / 10,
      },
      'request',
    )
  }

/** The same for what never became a request, whose answer has an id too. */
export const brokenRequestLog =
  (log: Log) =>
  ({ requestId, target, status }: RefusedRequest): void => {
    const [path, query] = partsOf(target)
    log.info({ requestId, path, query, status }, 'broken request')
  }

function partsOf(target: string): [path: string, query: string[] | undefined] {
  const [path = '', query] = target.split('?', 2)
  return [
    path.replace(secretLink, '$1…'),
    query === undefined ? undefined : [...new URLSearchParams(query).keys()],
  ]
}
