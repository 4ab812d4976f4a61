import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { wellFormed } from './mutation.ts'
import type { RequestInput } from './requests.ts'
import { filled } from './requests.ts'
import type { FuzzWorkspace } from './workspace.ts'

export interface FuzzResponse {
  method: string
  target: string
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  ms: number
}

/** No response may take longer, even on a busy machine. */
export const boundMs = 5000
/** How long to wait for a request that may be held. */
const heldMs = 1500

/**
 * Sends a request and waits for the response.
 * @param address the client's, for the proxy header
 * @returns null if Node's client refuses to send it, or the request is held
 * @throws Error if the connection ends without a response, or none comes in time
 */
export function send(
  workspace: FuzzWorkspace,
  input: RequestInput,
  address: string,
): Promise<FuzzResponse | null> {
  const { hostname, port } = new URL(workspace.url)
  const { method, key } = input
  const target = targetOf(filled(input.path, workspace.names, encodeURIComponent))
  const isHeld = /^\/v1\/(?:events|wakes\/take)/.test(target)
  const body = input.body === null ? null : Buffer.from(filled(input.body, workspace.names), 'latin1')
  const bearer = workspace.keys[key]
  const startedMs = performance.now()
  return new Promise((resolve, reject) => {
    let outgoing: ReturnType<typeof request>
    try {
      outgoing = request({
        hostname,
        port,
        method,
        path: target,
        agent: false,
        headers: {
          ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
          ...(body && { 'Content-Length': body.length }),
          ...input.headers,
          'X-Forwarded-For': address,
        },
      })
    } catch {
      return resolve(null)
    }
    const end = setTimeout(
      () => {
        outgoing.destroy()
        if (isHeld) resolve(null)
        else reject(new Error(`no answer within ${4 * boundMs} ms`))
      },
      isHeld ? heldMs : 4 * boundMs,
    )
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        clearTimeout(end)
        resolve({
          method,
          target,
          status: incoming.statusCode!,
          headers: incoming.headers,
          body: Buffer.concat(chunks),
          ms: performance.now() - startedMs,
        })
      })
    })
    outgoing.on('upgrade', (_incoming, socket) => socket.destroy(new Error('the connection was upgraded')))
    outgoing.on('error', (error) => {
      clearTimeout(end)
      if (!outgoing.destroyed || !isHeld) reject(error)
    })
    outgoing.end(body ?? undefined)
  })
}

/** Node's client refuses a path with a space or a character beyond Latin-1. */
const targetOf = (path: string): string =>
  wellFormed(path)
    .replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character))
    .slice(0, 12_000) || '/'

const treeCodes = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [422, 'unprocessable'],
])

/** A message may repeat the path of a request, which has at most 16 kB. */
const maxMessage = 20_000

/** Nothing that matches may be in a message. */
const internals = /undefined|\[object |NaN\b|\bat [\w.<>]+ \(|node_modules|SQLITE|\/tmp\//

/** The broken promises of a response. */
export function problemsOf(response: FuzzResponse): string[] {
  const { method, target, status, headers, body, ms } = response
  const problems: string[] = []
  const id = headers['x-request-id']
  // Without git no repository can be fetched, which is not the caller's mistake.
  const isWithoutGit = status === 503 && /\/repositories/.test(target)
  // RFC 4918 demands 502 for a copy to another server.
  const isElsewhere = status === 502 && /^(?:COPY|MOVE)$/.test(method)
  if (status >= 500 && !isWithoutGit && !isElsewhere)
    problems.push(`${status}: ${body.toString().slice(0, 300)}`)
  if (ms > boundMs) problems.push(`took ${Math.round(ms)} ms`)
  if (typeof id !== 'string' || !/^req_\w+$/.test(id)) problems.push(`X-Request-Id is ${JSON.stringify(id)}`)
  if (status === 405 && !headers.allow && !target.startsWith('/dav')) problems.push('405 without Allow')
  if (status === 429 && !/^\d+$/.test(headers['retry-after'] ?? '')) problems.push('429 without Retry-After')
  const isInterface = /^\/(?:api|v1)(?:[/?]|$)/.test(target)
  if (status >= 400 && isInterface && method !== 'HEAD') problems.push(...shapeProblems(response, String(id)))
  return problems
}

function shapeProblems({ target, status, body }: FuzzResponse, id: string): string[] {
  let json: Record<string, unknown>
  try {
    json = JSON.parse(body.toString())
  } catch {
    return [`the body of ${status} is no JSON: ${body.toString().slice(0, 200)}`]
  }
  const problems: string[] = []
  if (json.requestId !== id) problems.push(`requestId is ${JSON.stringify(json.requestId)}, the header ${id}`)
  const isTree = /^\/v1\/fs(?:[/?]|$)/.test(target)
  const message = isTree ? json.message : json.error
  if (isTree && json.error !== (treeCodes.get(status) ?? 'bad_request'))
    problems.push(`the code of ${status} is ${JSON.stringify(json.error)}`)
  if (!isTree && typeof json.code !== 'string') problems.push('there is no code')
  if (typeof message !== 'string' || message.trim() === '') problems.push('there is no message')
  else if (internals.test(withoutQuotes(message)))
    problems.push(`the message shows what is inside: ${message.slice(0, 300)}`)
  else if (message.length > maxMessage) problems.push(`the message has ${message.length} characters`)
  return problems
}

/** What a caller sent is quoted in a message, and may be anything. */
const withoutQuotes = (message: string) => message.replace(/"(?:[^"\\]|\\.)*"/g, '""')

/** What identifies an answer: the method, the kind of path, the status, the message without what was sent. */
export function kindOf({ method, target, status, body }: FuzzResponse): string {
  const path = target
    .split('?')[0]!
    .split('/')
    .slice(0, 6)
    .map((part) => (/^(?:_\w+|[a-z.]{2,16})$/.test(part) ? part : '·'))
    .join('/')
  const text = status >= 400 ? body.toString().slice(0, 2000) : ''
  const message =
    /"(?:message|error)":"((?:[^"\\]|\\.)*)"/.exec(text.replace(/"error":"\w+",(?="message")/, ''))?.[1] ?? ''
  return `${method} ${path} ${status} ${message
    .replace(/\\"(?:[^"\\]|\\[^"])*\\"/g, '·')
    .replace(/[\w-]*\d[\w-]*/g, '·')
    .slice(0, 80)}`
}

/** Sends bytes as they are, on a connection of its own. @returns what came back within a second and a half */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'))
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(received)
    }
    const timer = setTimeout(end, heldMs)
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
    })
    socket.on('end', end).on('error', end)
  })
}
