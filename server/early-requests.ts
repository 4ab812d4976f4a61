import type { IncomingMessage, RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Holds requests that arrive before the workspace is open. */
export class EarlyRequests {
  private listeners: { request: RequestListener; upgrade: UpgradeListener } | null = null
  private waiting: (() => void)[] = []
  private readonly sockets = new Set<Duplex>()

  readonly onRequest: RequestListener = (request, response) => {
    if (this.listeners) this.listeners.request(request, response)
    else this.waiting.push(() => this.listeners!.request(request, response))
  }

  readonly onUpgrade: UpgradeListener = (request, socket, head) => {
    if (this.listeners) {
      this.listeners.upgrade(request, socket, head)
      return
    }
    // Node removes its own error handler from an upgraded socket.
    socket.on('error', () => socket.destroy())
    this.sockets.add(socket)
    this.waiting.push(() => this.listeners!.upgrade(request, socket, head))
  }

  serve(request: RequestListener, upgrade: UpgradeListener): void {
    this.listeners = { request, upgrade }
    this.sockets.clear()
    for (const dispatch of this.waiting.splice(0)) dispatch()
  }

  /** Upgraded sockets do not end with the server. */
  close(): void {
    for (const socket of this.sockets) socket.destroy()
  }
}
