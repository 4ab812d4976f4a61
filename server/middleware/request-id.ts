import type { Middleware } from '../context.ts'

/**
 * Gives every request an id of our own, whatever becomes of it (`docs/interface.md#errors`).
 * A client's own `X-Request-Id` is not taken over: two requests could then share one line of the log.
 */
export const requestId =
  (newRequestId: () => string): Middleware =>
  (ctx, next) => {
    const id = newRequestId()
    ctx.state.requestId = id
    ctx.res.setHeader('X-Request-Id', id)
    return next()
  }
