import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Failure } from '../../core/mount/types.ts'
import type { Context } from '../context.ts'
import { codeAndStatus } from '../error-response.ts'
import { messageOf } from '../next-steps.ts'
import { hrefOf } from './paths.ts'
import { escapeXml } from './xml.ts'

type Responses = Iterable<string> | AsyncIterable<string>

const sliceMs = 4
/** In characters. */
const maxLength = 1024 * 1024

export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status]}`

const opening = '<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus xmlns:D="DAV:">\n'
const closing = '</D:multistatus>\n'

export function sendMultistatus(ctx: Context, responses: Responses): void {
  ctx.status = 207
  ctx.set('Content-Type', 'application/xml; charset=utf-8')
  ctx.set('Cache-Control', 'private, no-cache')
  ctx.body = Symbol.iterator in responses ? bodyOf(responses) : Readable.from(asyncPieces(responses))
}

function bodyOf(responses: Iterable<string>): string | Readable {
  const pieces = piecesOf(responses)
  const { text, isLast } = pieces.next().value!
  return isLast ? text : Readable.from(pacedPieces(text, pieces))
}

function* piecesOf(responses: Iterable<string>): Generator<{ text: string; isLast: boolean }, undefined> {
  let text = opening
  let untilMs = performance.now() + sliceMs
  for (const response of responses) {
    text += response
    if (text.length < maxLength && performance.now() < untilMs) continue
    yield { text, isLast: false }
    text = ''
    untilMs = performance.now() + sliceMs
  }
  yield { text: text + closing, isLast: true }
}

async function* pacedPieces(first: string, pieces: Iterable<{ text: string }>): AsyncGenerator<string> {
  yield first
  for (const { text } of pieces) {
    await setImmediate()
    yield text
  }
}

async function* asyncPieces(responses: AsyncIterable<string>): AsyncGenerator<string> {
  yield opening
  for await (const response of responses) yield response
  yield closing
}

export function sendFailures(ctx: Context, failures: Failure[]): void {
  sendMultistatus(
    ctx,
    failures.map((failure) => failureResponse(failure, ctx.path)),
  )
}

function failureResponse({ names, error }: Failure, target: string): string {
  const [status, message] =
    error instanceof WorkspaceError ? [codeAndStatus(error.code, target).status, messageOf(error)] : [500, '']
  return `<D:response><D:href>${escapeXml(hrefOf(names, false))}</D:href><D:status>${statusLine(status)}</D:status><D:responsedescription>${escapeXml(message)}</D:responsedescription></D:response>\n`
}
