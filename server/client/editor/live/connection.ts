import {
  type ClientMessage,
  closeCodes,
  type OpenedMessage,
  type OpenMessage,
  type ServerMessage,
} from '../../../../core/live/protocol.ts'

/** The part of WebSocket that is used. */
export interface Socket {
  readonly readyState: number
  onopen: (() => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
  send(data: string): void
  close(): void
}

export interface ConnectionEnd {
  /** The WebSocket's close code. */
  code: number
  message: string
}

interface Handlers {
  /** Returns the first message of each connection, with the known version. */
  createOpenMessage(): OpenMessage
  onOpened(message: OpenedMessage): void
  onMessage(message: Exclude<ServerMessage, OpenedMessage>): void
  /** The connection is being retried. */
  onLost(): void
  /** There is no further retry. @param wasOpen false if it never opened */
  onEnded(end: ConnectionEnd, wasOpen: boolean): void
  /** The server does not know the version that `createOpenMessage` named. */
  onReset(): void
}

const finalCodes: readonly number[] = [
  closeCodes.signedOut,
  closeCodes.forbidden,
  closeCodes.gone,
  closeCodes.tooLarge,
]

const retryMs = [300, 1000, 2000, 5000, 10_000]
const tooFastDelayMs = 5000
const openTimeoutMs = 10_000
const maxFirstAttempts = 2

const openState = 1

export class LiveConnection {
  private socket: Socket | null = null
  private isOpened = false
  private wasOpened = false
  private failures = 0
  private refusal: { code: string; message: string } | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private isEnded = false

  constructor(
    private readonly connect: () => Socket,
    private readonly handlers: Handlers,
  ) {}

  get isOpen(): boolean {
    return this.isOpened
  }

  /** Connects at once instead of waiting for the next retry. */
  start(): void {
    if (this.isEnded || this.socket) return
    clearTimeout(this.timer)
    this.refusal = null
    try {
      this.attach(this.connect())
    } catch {
      this.handleClose(0)
    }
  }

  send(message: ClientMessage): boolean {
    if (!this.isOpened || this.socket?.readyState !== openState) return false
    this.socket.send(JSON.stringify(message))
    return true
  }

  restart(): void {
    this.socket?.close()
  }

  end(): void {
    this.isEnded = true
    clearTimeout(this.timer)
    this.socket?.close()
  }

  private attach(socket: Socket): void {
    this.socket = socket
    this.timer = setTimeout(() => socket.close(), openTimeoutMs)
    socket.onopen = () => socket.send(JSON.stringify(this.handlers.createOpenMessage()))
    socket.onmessage = ({ data }) => {
      if (socket === this.socket && !this.isEnded) this.receive(JSON.parse(String(data)) as ServerMessage)
    }
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.handleClose(code)
    }
  }

  private receive(message: ServerMessage): void {
    if (message.type === 'opened') {
      clearTimeout(this.timer)
      this.isOpened = true
      this.wasOpened = true
      this.failures = 0
      this.handlers.onOpened(message)
    } else if (message.type === 'refused') this.refusal = message
    else this.handlers.onMessage(message)
  }

  private handleClose(code: number): void {
    clearTimeout(this.timer)
    const wasOpen = this.isOpened
    this.socket = null
    this.isOpened = false
    if (this.isEnded) return
    const isHopeless = !this.wasOpened && this.failures + 1 >= maxFirstAttempts
    if (finalCodes.includes(code) || isHopeless) {
      this.isEnded = true
      this.handlers.onEnded({ code, message: this.refusal?.message ?? '' }, this.wasOpened)
      return
    }
    if (code === closeCodes.badVersion) this.handlers.onReset()
    if (wasOpen) this.handlers.onLost()
    this.timer = setTimeout(() => this.start(), this.delayMs(code))
    this.failures += 1
  }

  /** Random, so that clients do not all reconnect at once after a restart. */
  private delayMs(code: number): number {
    if (code === closeCodes.tooFast) return tooFastDelayMs
    const ms = retryMs[Math.min(this.failures, retryMs.length - 1)]!
    return ms * (0.5 + Math.random() * 0.5)
  }
}
