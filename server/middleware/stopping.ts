import type { Middleware } from '../context.ts'
import { HttpError } from '../error-response.ts'

/** While the server stops, refuses requests on open connections and closes those that are answered. */
export const rejectWhileStopping =
  (stopping: AbortSignal): Middleware =>
  async (ctx, next) => {
    ctx.state.stopping = stopping
    if (stopping.aborted) {
      const message = 'The server is shutting down. Try again in a moment.'
      throw new HttpError('unavailable', message, { Connection: 'close' }, { retryAfterMs: 1000 })
    }
    try {
      await next()
    } finally {
      if (stopping.aborted) ctx.set('Connection', 'close')
    }
  }
