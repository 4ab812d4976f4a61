import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { LiveUpdate, ServerMessage } from '../../core/live/protocol.ts'
import type { Typing } from './typing.ts'

/** Called for each letter of another typist. */
type OnReceived = (clientId: string, seq: number) => void

/** An editor that knows only the length of its text, and types at its end. */
export class Typist {
  seq = 0
  private version = 0
  private length = 0
  private confirmed: (() => void) | null = null

  private constructor(
    private readonly socket: WebSocket,
    readonly clientId: string,
    private readonly onReceived: OnReceived,
  ) {}

  static async open(
    url: string,
    clientId: string,
    signin: Typing['signin'],
    onReceived: OnReceived,
  ): Promise<Typist> {
    const headers = signin ? { Cookie: signin.cookie, Origin: signin.origin } : {}
    const socket = new WebSocket(url, { headers, perMessageDeflate: false })
    const typist = new Typist(socket, clientId, onReceived)
    socket.on('message', (data) => typist.take(JSON.parse(String(data))))
    await once(socket, 'open')
    if (!signin) return typist
    socket.send(JSON.stringify({ type: 'open', csrf: signin.csrf, clientId }))
    await once(socket, 'message')
    return typist
  }

  /** Resolves when the text has the letter. */
  type(): Promise<void> {
    this.seq += 1
    const changes = this.length === 0 ? [[0, 'x']] : [this.length, [0, 'x']]
    const updates = [{ clientId: this.clientId, seq: this.seq, changes }]
    this.socket.send(JSON.stringify({ type: 'push', version: this.version, updates }))
    return new Promise((resolve) => {
      this.confirmed = resolve
    })
  }

  close(): void {
    this.socket.terminate()
  }

  private take(message: ServerMessage | { type: 'push'; updates: LiveUpdate[] }): void {
    if (message.type === 'refused') throw new Error(message.message)
    if (message.type === 'opened') {
      this.version = message.version
      this.length = message.text!.length
    }
    if (message.type !== 'updates' && message.type !== 'push') return
    for (const { clientId, seq, changes } of message.updates) {
      this.version += 1
      this.length = lengthAfter(changes as Part[])
      if (clientId === this.clientId) this.confirmed?.()
      else this.onReceived(clientId, seq)
    }
  }
}

type Part = number | [deleted: number, ...lines: string[]]

const lengthAfter = (changes: readonly Part[]): number =>
  changes.reduce<number>((sum, part) => sum + (typeof part === 'number' ? part : insertedBy(part)), 0)

const insertedBy = ([, ...lines]: [number, ...string[]]): number => lines.join('\n').length
