import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * How long requests may take to arrive with their bodies. Node has one limit for all of them, and an upload needs another.
 * Nearly all requests are complete when they are handed over, and cost no timer.
 */
export class ReceiveTimeout {
  private readonly limitMs: number
  private readonly onTimeout: (request: IncomingMessage) => void
  private readonly timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

  /** @param giveUp answers a request that has no answer yet, and ends its connection */
  constructor(limitMs: number, giveUp: (request: IncomingMessage) => void) {
    this.limitMs = limitMs
    this.onTimeout = giveUp
  }

  /** To be called for every request, when its head has arrived. */
  limit(request: IncomingMessage, response: ServerResponse): void {
    if (request.complete) return
    const late = () => {
      if (request.complete) return
      if (response.headersSent) request.socket.destroy()
      else this.onTimeout(request)
    }
    const timer = setTimeout(late, this.limitMs).unref()
    this.timers.set(request, timer)
    request.once('close', () => clearTimeout(timer))
  }

  /** From now on a pause of that length ends the request, and nothing else. */
  allowLongBody(request: IncomingMessage): void {
    clearTimeout(this.timers.get(request))
    request.setTimeout(this.limitMs)
    request.once('end', () => request.setTimeout(0))
  }
}
