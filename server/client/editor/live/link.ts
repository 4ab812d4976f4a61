import type {
  ClientMessage,
  OpenedMessage,
  OpenMessage,
  ServerMessage,
} from '../../../../core/live/protocol.ts'
import { csrfToken } from '../../api.ts'
import { type ConnectionEnd, LiveConnection, type Socket } from './connection.ts'

interface LinkHandlers {
  /** The known version, from which a new connection resumes. */
  getPosition(): { epoch: string; version: number } | null
  onOpened(message: OpenedMessage): void
  onMessage(message: Exclude<ServerMessage, OpenedMessage>): void
  onLost(): void
  onEnded(end: ConnectionEnd): void
  onReset(): void
}

export class LiveLink {
  readonly clientId = newClientId()
  readonly documentId: string
  /** The first response. Later ones go to the handlers. */
  firstMessage: OpenedMessage | null = null
  private readonly connection: LiveConnection
  private handlers: LinkHandlers | null = null

  private constructor(documentId: string, onSettled: (isOpen: boolean) => void) {
    this.documentId = documentId
    this.connection = new LiveConnection(() => openSocket(documentId), {
      createOpenMessage: (): OpenMessage => ({
        type: 'open',
        csrf: csrfToken ?? '',
        clientId: this.clientId,
        ...this.handlers?.getPosition(),
      }),
      onOpened: (message) => {
        if (this.handlers) return this.handlers.onOpened(message)
        this.firstMessage = message
        onSettled(true)
      },
      onMessage: (message) => this.handlers?.onMessage(message),
      onLost: () => this.handlers?.onLost(),
      onEnded: (end) => {
        onSettled(false)
        this.handlers?.onEnded(end)
      },
      onReset: () => this.handlers?.onReset(),
    })
    this.connection.start()
  }

  /** Resolves with null where the browser, a proxy or the server does not permit a live text. */
  static open(documentId: string): Promise<LiveLink | null> {
    if (typeof WebSocket === 'undefined') return Promise.resolve(null)
    return new Promise((resolve) => {
      const link: LiveLink = new LiveLink(documentId, (isOpen) => resolve(isOpen ? link : null))
    })
  }

  get isOpen(): boolean {
    return this.connection.isOpen
  }

  /** To be called at once: earlier messages are lost. */
  attach(handlers: LinkHandlers): void {
    this.handlers = handlers
    const reconnect = () => this.connection.start()
    addEventListener('online', reconnect)
    addEventListener('pageshow', reconnect)
    document.addEventListener('visibilitychange', reconnect)
  }

  send(message: ClientMessage): boolean {
    return this.connection.send(message)
  }

  restart(): void {
    this.connection.restart()
  }

  end(): void {
    this.connection.end()
  }
}

export function openSocket(documentId: string): Socket {
  const url = new URL(`/live/documents/${encodeURIComponent(documentId)}`, location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return new WebSocket(url) as Socket
}

function newClientId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
