import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isSource } from '../../data/program.ts'
import { describedDifference } from './described-responses.ts'
import { decompressed } from './http-client.ts'

interface StartedRequest {
  request: IncomingMessage
  response: ServerResponse
  socket: Socket
}

const started = 'http.server.request.start'

/** Compares a server's responses with their description, in a build alone. @returns ends the comparison */
export function checkResponses(
  port: () => number | undefined,
  report: (difference: string) => void,
): () => void {
  if (isSource) return () => {}
  const check = (message: unknown) => {
    const { request, response, socket } = message as StartedRequest
    const { method, url } = request
    if (socket.localPort !== port() || method === 'HEAD' || !/^\/(?:api|v1)\//.test(url!)) return
    whenEnded(response, (body) => {
      const difference = describedDifference(method!, url!, receivedResponse(response, body))
      if (difference !== null) report(difference)
    })
  }
  subscribe(started, check)
  return () => unsubscribe(started, check)
}

function receivedResponse(response: ServerResponse, body: Buffer) {
  const headers = { 'content-type': String(response.getHeader('content-type') ?? '') }
  const encoding = response.getHeader('content-encoding') as string | undefined
  const text = body.length === 0 ? '' : decompressed(body, encoding).toString()
  return { status: response.statusCode, headers, text, json: parsed(text) }
}

/** Parses JSON; undefined if it is none, as for a range of a file. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @param onEnd called with the whole body of a JSON response */
function whenEnded(response: ServerResponse, onEnd: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  const collect = (chunk: unknown) => {
    if (!isJson(response)) return
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  const { write, end } = response
  response.write = (...args: unknown[]) => {
    collect(args[0])
    return Reflect.apply(write, response, args)
  }
  response.end = (...args: unknown[]) => {
    collect(args[0])
    const result = Reflect.apply(end, response, args)
    onEnd(Buffer.concat(chunks))
    return result
  }
}

const isJson = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type') ?? '').startsWith('application/json')
