import {
  type Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export interface RequestOptions {
  key?: string | undefined
  /** Text and bytes are sent unchanged, anything else as JSON. */
  body?: unknown
  headers?: OutgoingHttpHeaders
  agent?: Agent
  /** Closes the connection and fails the request. */
  signal?: AbortSignal
}

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
  json: any
}

/** Sends a request with exactly this path, which a browser would normalise, and reads the whole response. */
export function request(
  baseUrl: string,
  method: string,
  path: string,
  { key, body, headers = {}, agent, signal }: RequestOptions = {},
): Promise<HttpResponse> {
  const { hostname, port } = new URL(baseUrl)
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const bytes = isRaw ? Buffer.from(body ?? '') : Buffer.from(JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path,
        agent,
        ...(signal && { signal }),
        headers: {
          ...(key !== undefined && { Authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'Content-Length': bytes.length }),
          ...(!isRaw && { 'Content-Type': 'application/json' }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = decompressed(Buffer.concat(chunks), incoming.headers['content-encoding']).toString()
          const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== ''
          const json = isJson ? JSON.parse(text) : undefined
          resolve({ status: incoming.statusCode!, headers: incoming.headers, text, json })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(bytes.length > 0 ? bytes : undefined)
  })
}

export function decompressed(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(bytes)
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes
}

/** Sends raw bytes on a new connection. @returns everything received until the server closes it */
export function sendRaw(baseUrl: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('end', () => {
      socket.end()
      resolve(Buffer.concat(chunks).toString())
    })
  })
}
