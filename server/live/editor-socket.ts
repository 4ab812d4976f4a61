import type { WebSocket } from 'ws'
import type { Caller } from '../../core/access/member.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { EndReason } from '../../core/live/editors.ts'
import type { LiveDocuments, LiveSession } from '../../core/live/live-documents.ts'
import {
  type ClientMessage,
  closeCodes,
  type OpenMessage,
  type ServerMessage,
} from '../../core/live/protocol.ts'
import type { Clock, Timer } from '../../core/time/clock.ts'
import { codeAndStatus } from '../error-response.ts'
import type { Log } from '../log.ts'
import { encodedMessage, parseMessage } from './messages.ts'

interface EditorSocketOptions {
  documentId: string
  caller: Caller
  isCsrfToken: (token: string) => boolean
  live: Pick<LiveDocuments, 'join'>
  clock: Clock
  log: Log
}

const closeCodeByReason: Record<EndReason, number> = {
  'signed out': closeCodes.signedOut,
  'not allowed': closeCodes.forbidden,
  gone: closeCodes.gone,
  'bad version': closeCodes.badVersion,
  'too large': closeCodes.tooLarge,
  restart: 1012,
}

const malformed = 1008
const tryAgainLater = 1013

const openTimeoutMs = 10_000
const pingMs = 30_000
/** In bytes. A client that reads too slowly is disconnected, and catches up after it reconnects. */
const maxBuffered = 4 * 1024 * 1024
const messagesPerSecond = 50
const messageBurst = 200
const lingerMs = 2000

export class EditorSocket {
  private session: LiveSession | null = null
  private queue: Promise<void> = Promise.resolve()
  private isClosed = false
  private isAlive = true
  private pingTimer: Timer
  private allowance = messageBurst
  private allowedAtMs = performance.now()

  constructor(
    private readonly socket: WebSocket,
    private readonly options: EditorSocketOptions,
  ) {
    const openTimer = options.clock.after(openTimeoutMs, () =>
      this.end(malformed, 'bad_request', 'Send open first.'),
    )
    this.pingTimer = this.schedulePing()
    socket.on('message', (data) => {
      openTimer.cancel()
      this.receive(String(data))
    })
    socket.on('pong', () => {
      this.isAlive = true
    })
    socket.on('error', () => socket.terminate())
    socket.once('close', () => {
      openTimer.cancel()
      this.pingTimer.cancel()
      this.isClosed = true
      void this.queue.then(() => this.session?.close())
    })
  }

  end(code: number, name: string, message: string): void {
    if (this.isClosed) return
    this.isClosed = true
    this.write({ type: 'refused', code: name, message })
    this.socket.close(code)
    setTimeout(() => this.socket.terminate(), lingerMs).unref()
  }

  private ping(): void {
    if (!this.isAlive) {
      this.socket.terminate()
      return
    }
    this.isAlive = false
    this.socket.ping()
    this.session?.recheck()
    this.pingTimer = this.schedulePing()
  }

  private schedulePing(): Timer {
    return this.options.clock.after(pingMs, () => this.ping())
  }

  private receive(data: string): void {
    if (this.isClosed) return
    if (!this.spendAllowance()) {
      this.end(closeCodes.tooFast, 'too_many_requests', 'Too many messages. Send fewer.')
      return
    }
    const message = parseMessage(data)
    if (message === null) this.end(malformed, 'bad_request', 'This is not a valid message of an editor.')
    else if (message.type === 'open') this.queue = this.queue.then(() => this.open(message))
    else if (this.session) this.handle(message, this.session)
    else this.queue = this.queue.then(() => this.handleOnceOpen(message))
  }

  private handleOnceOpen(message: Exclude<ClientMessage, OpenMessage>): void {
    if (this.session) this.handle(message, this.session)
  }

  /** Returns false if the message exceeds the rate. */
  private spendAllowance(): boolean {
    const now = performance.now()
    const earned = ((now - this.allowedAtMs) / 1000) * messagesPerSecond
    this.allowance = Math.min(messageBurst, this.allowance + earned) - 1
    this.allowedAtMs = now
    return this.allowance >= 0
  }

  private handle(message: Exclude<ClientMessage, OpenMessage>, session: LiveSession): void {
    if (message.type === 'push') session.push(message)
    else if (message.type === 'selection') session.select(message.version, message.ranges)
    else session.save()
  }

  private async open({ csrf, clientId, epoch, version }: OpenMessage): Promise<void> {
    const { caller, documentId, isCsrfToken, live, log } = this.options
    if (this.session || this.isClosed) return
    try {
      if (!isCsrfToken(csrf)) {
        throw new WorkspaceError('forbidden', 'The CSRF token is out of date. Reload the page.')
      }
      const position = { ...(epoch !== undefined && { epoch }), ...(version !== undefined && { version }) }
      const session = await live.join(caller, documentId, position, {
        clientId,
        send: (message) => this.send(message),
        end: (reason, message) => this.end(closeCodeByReason[reason], reason.replaceAll(' ', '_'), message),
      })
      if (this.isClosed) session.close()
      else this.session = session
    } catch (error) {
      if (!(error instanceof WorkspaceError)) log.error({ err: error }, 'A live text could not be opened.')
      const { code, message } =
        error instanceof WorkspaceError
          ? { code: codeAndStatus(error.code, '/live').code, message: error.message }
          : { code: 'internal_error', message: 'The text could not be opened.' }
      this.end(closeCodeOf(code), code, message)
    }
  }

  private send(message: ServerMessage): void {
    if (this.isClosed) return
    if (this.socket.bufferedAmount > maxBuffered) {
      this.isClosed = true
      this.socket.close(tryAgainLater)
      this.socket.terminate()
      return
    }
    this.write(message)
  }

  private write(message: ServerMessage): void {
    this.socket.send(encodedMessage(message), { binary: false })
  }
}

function closeCodeOf(code: string): number {
  if (code === 'unauthorized') return closeCodes.signedOut
  if (code === 'not_found') return closeCodes.gone
  if (code === 'too_many_requests') return closeCodes.tooFast
  return code === 'unavailable' || code === 'internal_error' ? tryAgainLater : closeCodes.forbidden
}
