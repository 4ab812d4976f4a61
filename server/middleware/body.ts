import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import koaBody from 'koa-body'
import rawBody from 'raw-body'
import { maxJsonBytes } from '../../core/config.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Context } from '../context.ts'
import { HttpError } from '../error-response.ts'

/**
 * The raw markdown of a request, whatever its content type says: curl calls every body a form. A form in parts is one for
 * sure, and its fences between the parts are nobody's text. One without any line end is probably a file that `curl -d`
 * has joined to a single line.
 * @throws WorkspaceError `too_large` above `limitBytes`; `invalid` where it is not UTF-8, holds NUL or is a form;
 *   `unsupported_media_type` where it is compressed; `bad_request` where it ends early
 */
export async function readMarkdown(ctx: Context, limitBytes: number): Promise<Buffer> {
  if (ctx.is('multipart/*')) {
    throw new WorkspaceError(
      'invalid',
      'Send the file itself as the body, not a form: curl -X PUT --data-binary @FILE.',
    )
  }
  const body = await readBody(ctx, limitBytes, 'Markdown')
  if (!isUtf8(body)) throw new WorkspaceError('invalid', 'The markdown is not UTF-8. Save it as UTF-8.')
  if (body.includes(0)) throw new WorkspaceError('invalid', 'The markdown holds a NUL byte.')
  if (
    body.length > 0 &&
    ctx.is('application/x-www-form-urlencoded') &&
    !/[\r\n]/.test(body.toString('latin1'))
  ) {
    throw new WorkspaceError(
      'invalid',
      'The body was sent as a form and contains no line breaks: curl -d removes them. Send it with --data-binary @FILE, ' +
        "or, if it really is one line, with -H 'Content-Type: text/markdown'.",
    )
  }
  return body
}

/**
 * The fields of a JSON body; none where there is no body, so that a route can name the field that it misses.
 * @param limitBytes 1 MB unless it is said
 * @throws WorkspaceError `too_large` above it; `bad_request` where it is no JSON object or ends early;
 *   `unsupported_media_type` where it is compressed
 */
export async function readJson(ctx: Context, limitBytes = maxJsonBytes): Promise<Record<string, unknown>> {
  const body = await readBody(ctx, limitBytes, 'JSON')
  if (body.length === 0) return {}
  const value = isUtf8(body) ? parse(body.toString()) : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WorkspaceError('bad_request', 'The body must be one JSON object, such as {"name": "value"}.')
  }
  return value as Record<string, unknown>
}

/** The largest form that is no upload, in bytes. */
const formBytes = 16 * 1024

/**
 * The fields of a form that a page has sent.
 * @throws WorkspaceError `too_large` above 16 kB; `bad_request` where it is no form or ends early;
 *   `unsupported_media_type` where it is compressed
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new WorkspaceError('bad_request', 'Send a form: application/x-www-form-urlencoded.')
  }
  sendContinue(ctx, formBytes, 'A form')
  try {
    let text = ''
    await readText(ctx, async () => {
      text = String(ctx.request.body)
    })
    return new URLSearchParams(text)
  } catch (error) {
    throw bodyReadError(error, formBytes, 'A form')
  }
}

/** Reads a form as the text that it is: as an object its names would become paths into it, and it would lose their order. */
const readText = koaBody({
  text: true,
  textTypes: ['application/x-www-form-urlencoded'],
  textLimit: formBytes,
  json: false,
  urlencoded: false,
})

/** What went wrong stays here: V8's message quotes the body, which is no business of the log's. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Says that the body is wanted; to be called before it is read.
 * @param kind what it is, as the beginning of a sentence
 * @throws WorkspaceError `too_large` where it says that it is longer; `unsupported_media_type` where it is compressed
 */
export function sendContinue({ req, res }: Context, limitBytes: number, kind: string): void {
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new HttpError(
      'unsupported_media_type',
      `Send the body uncompressed: ${encoding} is not supported.`,
      { 'Accept-Encoding': 'identity' },
    )
  }
  if (Number(req.headers['content-length']) > limitBytes) throw tooLargeError(limitBytes, kind)
  if (req.headers.expect !== undefined && req.httpVersion === '1.1') {
    // The client waits for this line before it sends; its connection was to end in case nobody wanted the body.
    res.removeHeader('Connection')
    res.writeContinue()
  }
}

/**
 * A whole body.
 * @param kind as for `sendContinue`
 * @throws WorkspaceError `too_large`; `unsupported_media_type` where it is compressed; `bad_request` where it ends early
 */
export async function readBody(ctx: Context, limitBytes: number, kind: string): Promise<Buffer> {
  const { req } = ctx
  const length = req.headers['content-length']
  sendContinue(ctx, limitBytes, kind)
  try {
    return await rawBody(req, { limit: limitBytes, length: length ?? null })
  } catch (error) {
    throw bodyReadError(error, limitBytes, kind)
  }
}

/** The bytes of a request or of a part of it, as they are asked for, with what goes wrong in words. The request itself is never destroyed: it has an answer. */
export async function* bytesOf(source: Readable, limitBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0
  try {
    for await (const bytes of source.iterator({ destroyOnReturn: false })) {
      length += bytes.length
      if (length > limitBytes) throw tooLargeError(limitBytes, 'A file')
      yield bytes
    }
  } catch (error) {
    throw error instanceof WorkspaceError ? error : incompleteBodyError()
  }
}

/** @param kind as for `sendContinue` */
export function tooLargeError(limitBytes: number, kind: string): WorkspaceError {
  const limit = limitBytes % 1048576 === 0 ? `${limitBytes / 1048576} MB` : `${limitBytes} bytes`
  return new WorkspaceError('too_large', `${kind} may be at most ${limit} long.`, { fields: { limitBytes } })
}

export const incompleteBodyError = (): WorkspaceError =>
  new WorkspaceError('bad_request', 'The body ended before it was complete.')

/** Neither a long body nor a client that went away is a fault of ours. */
function bodyReadError(error: unknown, limitBytes: number, kind: string): unknown {
  switch (error instanceof Error && 'type' in error && error.type) {
    case 'entity.too.large':
      return tooLargeError(limitBytes, kind)
    case 'request.aborted':
    case 'request.size.invalid':
    case 'stream.not.readable':
      return incompleteBodyError()
    default:
      return error
  }
}
