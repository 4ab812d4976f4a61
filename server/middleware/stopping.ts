import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Middleware } from '../context.ts'

/**
 * Turns away what arrives on a kept-alive connection while the server stops, and ends the connections of
 * the requests that are still answered.
 */
export const rejectWhileStopping =
  (stopping: AbortSignal): Middleware =>
  async (ctx, next) => {
    ctx.state.stopping = stopping
    if (stopping.aborted) {
      throw new WorkspaceError('unavailable', 'The server is shutting down. Try again in a moment.', {
        headers: { Connection: 'close', 'Retry-After': '1' },
      })
    }
    try {
      await next()
    } finally {
      if (stopping.aborted) ctx.set('Connection', 'close')
    }
  }
