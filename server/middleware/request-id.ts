import type { Middleware } from '../context.ts'

/** Ignores the client's `X-Request-Id`: two requests could share it (`docs/interface.md#errors`). */
export const requestId =
  (newRequestId: () => string): Middleware =>
  (ctx, next) => {
    const id = newRequestId()
    ctx.state.requestId = id
    ctx.res.setHeader('X-Request-Id', id)
    return next()
  }
