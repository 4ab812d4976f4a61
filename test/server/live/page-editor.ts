import { randomUUID } from 'node:crypto'
import { EditorState, Text, type TransactionSpec } from '@codemirror/state'
import { diffTexts } from '../../../server/client/editor/difference.ts'
import { LiveConnection } from '../../../server/client/editor/live/connection.ts'
import { redeliver, type UnsentUpdates } from '../../../server/client/editor/live/redelivery.ts'
import { SharedText, type TextHost } from '../../../server/client/editor/live/shared-text.ts'
import type { Signin } from '../../support/live-editor.ts'
import { FaultySocket, type Network } from './faulty-socket.ts'

class Host implements TextHost {
  state = EditorState.create({ doc: Text.empty })

  dispatch(...specs: TransactionSpec[]): void {
    this.state = this.state.update(...specs).state
  }
}

/** An editor as in a browser: the code of the page, without its rendering. */
export class PageEditor {
  /** Why the server ended the session for good. */
  refusal: string | null = null
  private readonly network: Network
  private readonly documentId: string
  private readonly signin: Signin
  private host!: Host
  private shared!: SharedText
  private connection!: LiveConnection
  private socket: FaultySocket | null = null
  /** Unsent changes that the browser keeps of closed pages. */
  private left: UnsentUpdates[] = []
  private isResending = false

  constructor(network: Network, documentId: string, signin: Signin) {
    this.network = network
    this.documentId = documentId
    this.signin = signin
    this.open()
  }

  get text(): string {
    return this.host.state.doc.toString()
  }

  /** The text as the server has confirmed it. */
  get confirmedText(): string {
    return this.shared.syncedText.toString()
  }

  /** Whether the page shows the text; before that nothing can be typed. */
  get isShown(): boolean {
    return this.shared.position !== null
  }

  get isSettled(): boolean {
    return this.connection.isOpen && this.isShown && this.shared.isConfirmed && this.left.length === 0
  }

  type(at: number, insert: string): void {
    this.host.dispatch({ changes: { from: at, insert } })
    this.push()
  }

  erase(from: number, to: number): void {
    this.host.dispatch({ changes: { from, to } })
    this.push()
  }

  save(): void {
    this.connection.send({ type: 'save' })
  }

  /** Loses the connection, and messages on their way. */
  disconnect(): void {
    this.socket?.disconnect()
  }

  /** Connects at once, and sends what waits for its next attempt. */
  hurry(): void {
    this.connection.start()
    if (this.connection.isOpen) void this.resend()
  }

  /** Closes the page, whose unsent changes the browser keeps, and opens it again. */
  reload(): void {
    const { pending, clientId, syncedText } = this.shared
    if (pending) this.left.push({ ...pending, clientId, base: syncedText.toString() })
    this.close()
    this.open()
  }

  close(): void {
    this.connection.end()
    this.socket?.disconnect()
  }

  private open(): void {
    this.host = new Host()
    const shared = new SharedText(this.host, randomUUID(), diffTexts)
    this.shared = shared
    const connection: LiveConnection = new LiveConnection(
      () => {
        this.socket = this.connect()
        return this.socket
      },
      {
        createOpenMessage: () => ({
          type: 'open',
          csrf: this.signin.csrf,
          clientId: shared.clientId,
          ...shared.position,
        }),
        onOpened: (message) => {
          if (!this.tries(() => shared.handleOpened(message))) return
          this.push()
          void this.resend()
        },
        onMessage: (message) => {
          if (message.type !== 'updates') return
          if (this.tries(() => shared.receive(message.from, message.updates))) this.push()
        },
        onLost: () => {},
        onEnded: ({ code, message }, wasOpen) => {
          // A page that has never been connected has nothing to lose.
          if (wasOpen) this.refusal = `${code} ${message}`
          else if (this.connection === connection) this.open()
        },
        onReset: () => shared.forget(),
      },
    )
    this.connection = connection
    connection.start()
  }

  private connect(): FaultySocket {
    return new FaultySocket(this.network, this.documentId, this.signin.cookie)
  }

  /** Applies a message; if it does not fit the text, the whole text is requested again. */
  private tries(take: () => unknown): boolean {
    try {
      if (take() !== false) return true
    } catch {
      this.shared.forget()
    }
    this.connection.restart()
    return false
  }

  private push(): void {
    if (!this.connection.isOpen) return
    const next = this.shared.nextPush()
    if (next) this.connection.send(next)
  }

  private async resend(): Promise<void> {
    if (this.isResending) return
    this.isResending = true
    for (const one of [...this.left]) {
      const delivery = await redeliver(one, this.signin.csrf, () => this.connect())
      if (delivery.kind === 'failed') break
      // As if the person chose to restore it.
      if (delivery.kind === 'unknown') {
        if (!this.isShown) break
        this.shared.adopt(delivery.base, delivery.changes)
        this.push()
      }
      this.left = this.left.filter((other) => other !== one)
    }
    this.isResending = false
  }
}
