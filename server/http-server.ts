import { setMaxListeners } from 'node:events'
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { batchPerTurn } from './batch-per-turn.ts'
import { EarlyRequests, type UpgradeListener } from './early-requests.ts'
import { type ErrorResponse, errorBody } from './error-response.ts'

export interface HttpServer {
  address: string
  port: number
  stopping: AbortSignal
  /** Lets an upload take longer, as long as it does not pause for `receiveMs`. */
  allowLongBody(request: IncomingMessage): void
  /** Answers all requests, those that already wait too. @param upgrade receives WebSocket connections */
  serve(listener: RequestListener, upgrade: UpgradeListener): void
  /** Stops listening and finishes running requests; after `graceMs` also closes busy connections. */
  close(graceMs?: number): Promise<void>
}

export interface RefusedRequest {
  requestId: string
  target: string
  status: number
}

interface HttpServerOptions {
  host: string
  port: number
  newRequestId: () => string
  onBadRequest?: (refusal: RefusedRequest) => void
  receiveMs?: number
}

const headerBytes = 16 * 1024
const defaultReceiveMs = 30_000
/** The limit for uploads that keep arriving. */
const maxReceiveMs = 60 * 60 * 1000
/** Proxies reuse connections for up to a minute and must not write into one that is closing. */
const keepAliveMs = 65_000
const defaultGraceMs = 10_000
const idleCheckMs = 50

/** Requests wait until `serve`. @throws if the port is taken or the host is not this machine's */
export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, newRequestId, onBadRequest = () => {}, receiveMs = defaultReceiveMs } = options
  const server = createServer({
    maxHeaderSize: headerBytes,
    requestTimeout: maxReceiveMs,
    headersTimeout: receiveMs,
    // A late request is noticed within a tenth of its limit.
    connectionsCheckingInterval: Math.ceil(receiveMs / 10),
    keepAliveTimeout: keepAliveMs,
    // Node's own refusal would carry no request id.
    requireHostHeader: false,
    IncomingMessage: UpgradableMessage,
  })
  const refuseBroken = (error: BadRequest, socket: Socket, url?: string) => {
    // Also reached after a reset by the client, and for each chunk after a refused request.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const target = url ?? /^[A-Z]+ (\S+)/.exec(error.rawPacket?.toString('latin1', 0, 256) ?? '')?.[1] ?? ''
    const requestId = newRequestId()
    const status = respondToBadRequest(error, socket, requestId, target)
    onBadRequest({ requestId, target, status })
  }
  server.on('clientError', (error, socket) => refuseBroken(error as BadRequest, socket as Socket))
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const earlyRequests = new EarlyRequests()
  server.on('request', earlyRequests.onRequest)
  server.on('checkExpectation', earlyRequests.onRequest)
  server.on('checkContinue', (request, response) => {
    // Without "100 Continue" the client may or may not send the body, so the connection cannot be reused.
    response.setHeader('Connection', 'close')
    earlyRequests.onRequest(request, response)
  })
  server.on('upgrade', earlyRequests.onUpgrade)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

  const receiveTimeout = new ReceiveTimeout(receiveMs, ({ socket, url }) =>
    refuseBroken({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket, url),
  )

  const stop = new AbortController()
  // Every held request adds a listener.
  setMaxListeners(0, stop.signal)
  const bound = server.address() as AddressInfo
  return {
    address: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    port: bound.port,
    stopping: stop.signal,
    allowLongBody: (request) => receiveTimeout.allowLongBody(request),
    serve(listener, upgrade) {
      const { listener: batched, noteConnection } = batchPerTurn((request, response) => {
        receiveTimeout.limit(request, response)
        listener(request, response)
      })
      server.on('connection', noteConnection)
      earlyRequests.serve(batched, upgrade)
    },
    async close(graceMs = defaultGraceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      stop.abort()
      earlyRequests.close()
      const idleCheck = setInterval(() => {
        server.closeIdleConnections()
        // Browsers connect ahead of their requests; Node considers such connections busy.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }, idleCheckMs)
      const graceEnd = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearInterval(idleCheck)
      clearTimeout(graceEnd)
    },
  }
}

/** Not a field: Node sets `upgrade` before fields are initialized. */
const upgradeRequests = new WeakSet<IncomingMessage>()

/** Node upgrades on any `Upgrade` header, such as that of `curl --http2`, which also accepts HTTP/1.1. */
class UpgradableMessage extends IncomingMessage {
  get upgrade(): boolean {
    return upgradeRequests.has(this) && /^websocket$/i.test(this.headers.upgrade ?? '')
  }

  set upgrade(isRequested: boolean) {
    if (isRequested) upgradeRequests.add(this)
  }
}

interface BadRequest {
  code?: string
  rawPacket?: Buffer
}

function brokenRequestFailure(error: BadRequest): Pick<ErrorResponse, 'status' | 'code' | 'message'> {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      const message = `The headers of a request may be at most ${headerBytes / 1024} kB long.`
      return { status: 431, code: 'headers_too_large', message }
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'request_timeout', message: 'The request took too long to arrive.' }
    default:
      return { status: 400, code: 'bad_request', message: 'This is not a request that HTTP/1.1 allows.' }
  }
}

const lingerMs = 2000

function respondToBadRequest(error: BadRequest, socket: Socket, requestId: string, target: string) {
  const failure = brokenRequestFailure(error)
  const { status } = failure
  const body = JSON.stringify(errorBody({ target, requestId, ...failure }))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // An immediate close would reset the connection while the client writes, losing the response.
  setTimeout(() => socket.destroy(), lingerMs).unref()
  return status
}

/** A limit per request, since Node's applies to all and uploads need a longer one. */
class ReceiveTimeout {
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
