import { collab, getSyncedVersion, receiveUpdates, sendableUpdates } from '@codemirror/collab'
import { ChangeSet, EditorState, Text } from '@codemirror/state'
import { WebSocket } from 'ws'
import type { ClientMessage, LiveUpdate, ServerMessage } from '../../core/live/protocol.ts'
import { eventually } from './eventually.ts'
import { ScriptlessBrowser } from './scriptless-browser.ts'
import type { Workroom } from './workroom.ts'

let clientCount = 0

export interface Signin {
  cookie: string
  csrf: string
}

export async function signInForEditing(
  workroom: Pick<Workroom, 'request' | 'url'>,
  key: string,
): Promise<Signin> {
  const browser = await new ScriptlessBrowser(workroom).signIn(key)
  return { cookie: browser.cookie!, csrf: await browser.csrf() }
}

/** A page's editor of a live text without the page: it sends, resends and confirms updates. */
export class LiveEditor {
  /** The messages received since the last `connect`, oldest first. */
  messages: ServerMessage[] = []
  closeCode: number | null = null
  private readonly clientId: string
  private readonly address: () => string
  private readonly signin: Signin
  private state: EditorState | null = null
  private epoch = ''
  private seq = 1
  private sent = 0
  private socket: WebSocket | null = null
  private isOpened = false

  constructor(
    workroom: { readonly url: string },
    documentId: string,
    signin: Signin,
    clientId = `client-${String(++clientCount).padStart(6, '0')}`,
  ) {
    this.address = () => `${workroom.url.replace('http', 'ws')}/live/documents/${documentId}`
    this.signin = signin
    this.clientId = clientId
  }

  get text(): string {
    return this.state?.doc.toString() ?? ''
  }

  get isConfirmed(): boolean {
    return this.state !== null && this.isOpened && sendableUpdates(this.state).length === 0
  }

  get confirmedCount(): number {
    return this.seq - 1
  }

  get version(): number {
    return this.state ? getSyncedVersion(this.state) : 0
  }

  /** @param origin the page's origin; default the server's */
  connect(origin = this.address().replace(/^ws(.*?\/\/[^/]+).*/, 'http$1')): Promise<void> {
    this.messages = []
    this.closeCode = null
    this.isOpened = false
    const socket = new WebSocket(this.address(), { headers: { Cookie: this.signin.cookie, Origin: origin } })
    this.socket = socket
    return new Promise((resolve, reject) => {
      socket.on('open', () =>
        this.send({
          type: 'open',
          csrf: this.signin.csrf,
          clientId: this.clientId,
          ...(this.state && { epoch: this.epoch, version: this.version }),
        }),
      )
      socket.on('message', (data) => {
        if (socket !== this.socket) return
        this.handleMessage(JSON.parse(String(data)) as ServerMessage)
        if (this.isOpened) resolve()
      })
      socket.on('unexpected-response', (_, { statusCode }) => reject(new Error(`status ${statusCode}`)))
      socket.on('error', reject)
      socket.on('close', (code) => {
        if (socket !== this.socket) return
        this.closeCode = code
        this.isOpened = false
        reject(new Error(`closed with ${code}`))
      })
    })
  }

  type(insert: string, from = this.text.length, to = from): void {
    this.state = this.state!.update({ changes: { from, to, insert } }).state
    this.push()
  }

  /** Inserts after the first occurrence of `anchor`. */
  typeAfter(anchor: string, insert: string): void {
    this.type(insert, this.text.indexOf(anchor) + anchor.length)
  }

  save(): void {
    this.send({ type: 'save' })
  }

  send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message))
  }

  sendRaw(data: string): void {
    this.socket?.send(data)
  }

  stopReading(): void {
    this.socket?.pause()
  }

  resumeReading(): void {
    this.socket?.resume()
  }

  /** Drops the connection without a closing handshake. */
  disconnect(): void {
    const { socket } = this
    this.socket = null
    this.isOpened = false
    socket?.terminate()
  }

  async waitForClose(): Promise<number> {
    return eventually(() => this.closeCode)
  }

  waitForMessage<Type extends ServerMessage['type']>(
    type: Type,
  ): Promise<Extract<ServerMessage, { type: Type }>> {
    return eventually(() => this.messages.find((one) => one.type === type) ?? null) as never
  }

  private push(): void {
    if (!this.isOpened || !this.state || this.sent >= this.seq) return
    const updates = sendableUpdates(this.state)
    if (updates.length === 0) return
    this.send({
      type: 'push',
      version: this.version,
      updates: updates.map(({ changes }, index) => ({ seq: this.seq + index, changes: changes.toJSON() })),
    })
    this.sent = this.seq + updates.length - 1
  }

  private handleMessage(message: ServerMessage): void {
    this.messages.push(message)
    if (message.type === 'opened') {
      this.isOpened = true
      this.sent = this.seq - 1
      this.epoch = message.epoch
      if (message.text !== undefined) {
        this.state = EditorState.create({
          doc: Text.of(message.text.split('\n')),
          extensions: [
            collab({ startVersion: message.version, clientID: this.clientId }),
            EditorState.lineSeparator.of('\n'),
          ],
        })
      } else this.receive(message.updates ?? [])
      this.push()
    } else if (message.type === 'updates') {
      this.receive(message.updates.slice(Math.max(0, this.version - message.from)))
      this.push()
    }
  }

  private receive(updates: readonly LiveUpdate[]): void {
    const own = updates.filter(({ clientId }) => clientId === this.clientId)
    this.seq = Math.max(this.seq, ...own.map(({ seq }) => seq + 1))
    this.sent = Math.max(this.sent, this.seq - 1)
    const changes = updates.map((one) => ({
      clientID: one.clientId,
      changes: ChangeSet.fromJSON(one.changes),
    }))
    this.state = receiveUpdates(this.state!, changes).state
  }
}
