import http, { validateHeaderName, validateHeaderValue } from 'node:http'
import https from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import type { Got, Request } from 'got'
import type { Deadline } from './deadline.ts'
import type { CheckedAddress, Destination } from './destination.ts'
import { codeOf, type FailureCategory, failure, type OutboundFailure } from './failure.ts'
import type { OutboundRequest, OutboundResponse } from './types.ts'

interface Route {
  destination: Destination
  addresses: readonly CheckedAddress[]
  deadline: Deadline
}

/** @throws the signal's reason if the caller aborted; TypeError for what cannot be sent */
type Exchange = (request: OutboundRequest, route: Route) => Promise<OutboundResponse | OutboundFailure>

/** The delay between addresses. Node's 250 ms is too short for distant servers. */
const happyEyeballsMs = 1500

const clientHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'user-agent',
])

/** @param authorities certificates of trusted authorities in PEM; default: Node's */
export function createExchange(authorities?: string): Exchange {
  let loading: Promise<Got> | null = null
  // Loaded on the first request: it takes long, and many servers send nothing.
  const load = async () => {
    const { got } = await import('got')
    return got.extend({
      https: { rejectUnauthorized: true, ...(authorities && { certificateAuthority: authorities }) },
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: false,
    })
  }

  return async (request, { destination, addresses, deadline }) => {
    const { method, maxBytes, whenTooLarge = 'cut' } = request
    const body = bodyOf(request)
    const headers = headersOf(request, body)
    loading ??= load()
    const client = await loading
    const stream = client.stream(destination.url, {
      method,
      ...(body && { body }),
      agent: agentFor(destination, addresses),
      // got writes names in lower case and adds its own headers.
      hooks: { beforeRequest: [(options) => replaceAll(options.headers, headers)] },
    })
    const progress = new SocketProgress(stream, destination)
    deadline.signal.addEventListener('abort', () => stream.destroy())
    if (deadline.signal.aborted) stream.destroy()
    const chunks: Buffer[] = []
    let remainingBytes = maxBytes
    let isTruncated = false
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        isTruncated = chunk.length > remainingBytes
        chunks.push(chunk.subarray(0, remainingBytes))
        remainingBytes -= chunk.length
        if (isTruncated) break
      }
    } catch (error) {
      if (deadline.isExpired) return failure('timeout', 'deadline', progress.status)
      deadline.signal.throwIfAborted()
      return failure(progress.categoryOf(error), codeOf(error), progress.status)
    } finally {
      stream.destroy()
    }
    const { statusCode: status, headers: responseHeaders } = stream.response!
    if (isTruncated && whenTooLarge === 'fail') return failure('too_large', 'body', status)
    return { kind: 'response', status, headers: responseHeaders, body: Buffer.concat(chunks), isTruncated }
  }
}

function bodyOf({ method, body }: OutboundRequest): Buffer | undefined {
  if (method !== 'GET' && method !== 'HEAD') return body ?? Buffer.alloc(0)
  if (body) throw new TypeError(`A ${method} request has no body`)
  return undefined
}

function headersOf({ headers = {} }: OutboundRequest, body: Buffer | undefined): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (clientHeaders.has(name.toLowerCase())) throw new TypeError(`The header ${name} is the client's own`)
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  return {
    ...headers,
    'User-Agent': 'Workroom',
    'Accept-Encoding': 'identity',
    ...(body && { 'Content-Length': String(body.length) }),
  }
}

function replaceAll(all: Record<string, unknown>, by: Record<string, string>): void {
  for (const name of Object.keys(all)) delete all[name]
  Object.assign(all, by)
}

/** A shared agent would reuse a socket by name, to an address checked for another request. */
function agentFor({ url }: Destination, addresses: readonly CheckedAddress[]) {
  const options = {
    lookup: lookupAmong(addresses),
    keepAlive: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: happyEyeballsMs,
  }
  return url.protocol === 'https:' ? { https: new https.Agent(options) } : { http: new http.Agent(options) }
}

/** A socket that can try only one address asks for one. */
const lookupAmong =
  (addresses: readonly CheckedAddress[]): LookupFunction =>
  (_name, { all }, callback) =>
    all ? callback(null, [...addresses]) : callback(null, addresses[0]!.address, addresses[0]!.family)

class SocketProgress {
  status: number | null = null
  private isHandshaking = false

  constructor(stream: Request, { url }: Destination) {
    stream.once('response', ({ statusCode }) => {
      this.status = statusCode
    })
    stream.once('socket', (socket: Socket) => {
      socket.once('connect', () => {
        this.isHandshaking = url.protocol === 'https:'
      })
      socket.once('secureConnect', () => {
        this.isHandshaking = false
      })
    })
    // got would hand such a socket on and wait for a response.
    stream.once('upgrade', () => stream.destroy(Object.assign(new Error('Upgraded'), { code: 'upgrade' })))
  }

  /** Depends on how far the request came. */
  categoryOf(error: unknown): FailureCategory {
    const code = codeOf(error)
    if (code === 'ECONNREFUSED') return 'refused'
    if (code === 'ETIMEDOUT') return 'timeout'
    if (code === 'HPE_HEADER_OVERFLOW') return 'too_large'
    return this.isHandshaking ? 'tls' : 'connection'
  }
}
