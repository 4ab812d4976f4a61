import type { IncomingMessage, ServerResponse } from 'node:http'

/** A limit per request, since Node's applies to all and uploads need a longer one. */
export class ReceiveTimeout {
  private readonly timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

  constructor(
    private readonly limitMs: number,
    private readonly onTimeout: (request: IncomingMessage) => void,
  ) {}

  limit(request: IncomingMessage, response: ServerResponse): void {
    if (request.complete) return
    const expire = () => {
      if (request.complete) return
      if (response.headersSent) request.socket.destroy()
      else this.onTimeout(request)
    }
    const timer = setTimeout(expire, this.limitMs).unref()
    this.timers.set(request, timer)
    request.once('close', () => clearTimeout(timer))
  }

  /** Limits pauses of the body only, not its whole duration. */
  allowLongBody(request: IncomingMessage): void {
    clearTimeout(this.timers.get(request))
    request.setTimeout(this.limitMs)
    request.once('end', () => request.setTimeout(0))
  }
}
