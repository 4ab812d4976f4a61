import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Socket } from '../../../server/client/editor/live/connection.ts'
import type { Choices } from './choices.ts'

const maxLateMs = 25
/** One in so many pushes is delivered twice. */
const duplicateShare = 8

export interface Network extends Choices {
  /** Its address changes with each start. */
  readonly server: { readonly url: string }
  /** Whether delays and duplicates have ended. */
  isCalm: boolean
}

/** A WebSocket of a browser, on a network that delays messages, delivers some twice, and breaks. */
export class FaultySocket implements Socket {
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  private readonly socket: WebSocket
  private readonly network: Network
  private incoming: Promise<void> = Promise.resolve()
  private outgoing: Promise<void> = Promise.resolve()
  private isCut = false

  constructor(network: Network, documentId: string, cookie: string) {
    this.network = network
    const { url } = network.server
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/live/documents/${documentId}`, {
      headers: { Cookie: cookie, Origin: url },
    })
    this.socket.on('open', () => this.onopen?.())
    this.socket.on('error', () => {})
    this.socket.on('message', (data) => this.receive(() => this.onmessage?.({ data: String(data) })))
    this.socket.on('close', (code) => this.receive(() => this.onclose?.({ code })))
  }

  get readyState(): number {
    return this.isCut ? WebSocket.CLOSED : this.socket.readyState
  }

  send(data: string): void {
    const isPush = data.startsWith('{"type":"push"')
    const count = isPush && !this.network.isCalm && this.network.below(duplicateShare) === 0 ? 2 : 1
    this.outgoing = this.outgoing.then(async () => {
      await this.delay()
      for (let time = 0; time < count; time++) {
        if (this.readyState === WebSocket.OPEN) this.socket.send(data)
      }
    })
  }

  close(): void {
    this.socket.close()
  }

  /** Breaks the connection; messages on their way are lost. */
  disconnect(): void {
    if (this.isCut) return
    this.isCut = true
    this.socket.terminate()
    this.onclose?.({ code: 1006 })
  }

  private receive(deliver: () => void): void {
    this.incoming = this.incoming.then(async () => {
      await this.delay()
      if (!this.isCut) deliver()
    })
  }

  private async delay(): Promise<void> {
    if (!this.network.isCalm) await pause(this.network.below(maxLateMs))
  }
}
