import type { Context, Middleware } from '../context.ts'
import type { RefusedRequest } from '../http-server.ts'
import type { Log } from '../log.ts'

const secretLink = /^((?:https?:\/\/[^/]*)?\/(?:unsubscribe|download|signin)\/).+/i

/** Logs only the names of query parameters and the beginning of secret links. */
export const requestLog =
  (log: Log, onResponse: (ctx: Context, ms: number) => void = () => {}): Middleware =>
  async (ctx, next) => {
    const startedMs = performance.now()
    await next()
    const ms = performance.now() - startedMs
    onResponse(ctx, ms)
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
