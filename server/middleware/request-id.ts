import type { RandomBytes } from '../../core/ids.ts'
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

/** The random part differs per process. */
export function requestIds(random: RandomBytes): () => string {
  const processPart = Buffer.from(random(6)).toString('hex')
  let count = 0
  return () => {
    count += 1
    return `req_${processPart}${count.toString(36).padStart(6, '0')}`
  }
}
