import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import koaBody from 'koa-body'
import rawBody from 'raw-body'
import { maxJsonBytes } from '../../core/config.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Context } from '../context.ts'
import { HttpError } from '../error-response.ts'

/**
 * Accepts any content type, since curl labels every body as a form. Refuses multipart forms, and a body labelled
 * as a form without line ends, to which `curl -d` reduces a file.
 * @throws WorkspaceError `too_large`, `invalid`, `unsupported_media_type`, `bad_request`
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

/** No body means no fields. @throws WorkspaceError `too_large`, `bad_request`, `unsupported_media_type` */
export async function readJson(ctx: Context, limitBytes = maxJsonBytes): Promise<Record<string, unknown>> {
  const body = await readBody(ctx, limitBytes, 'JSON')
  if (body.length === 0) return {}
  const value = isUtf8(body) ? parse(body.toString()) : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WorkspaceError('bad_request', 'The body must be one JSON object, such as {"name": "value"}.')
  }
  return value as Record<string, unknown>
}

const formBytes = 16 * 1024

/** @throws WorkspaceError `too_large`, `bad_request`, `unsupported_media_type` */
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

/** As text: parsed names could become nested paths, and would lose their order. */
const readText = koaBody({
  text: true,
  textTypes: ['application/x-www-form-urlencoded'],
  textLimit: formBytes,
  json: false,
  urlencoded: false,
})

/** Drops V8's message, which quotes the body and so must not be logged. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * To be called before reading.
 * @param kind begins a sentence
 * @throws WorkspaceError `too_large`, `unsupported_media_type`
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
    // The client waits for this line. Its connection was to be closed in case nobody read the body.
    res.removeHeader('Connection')
    res.writeContinue()
  }
}

/** @throws WorkspaceError `too_large`, `unsupported_media_type` (compressed), `bad_request` (incomplete) */
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

/** Streams a request or a part of it without destroying the request, which still gets a response. */
export async function* bytesOf(source: Readable, limitBytes: number): AsyncGenerator<Uint8Array> {
  try {
    yield* limited(source.iterator({ destroyOnReturn: false }), limitBytes)
  } catch (error) {
    throw error instanceof WorkspaceError ? error : incompleteBodyError()
  }
}

/** @throws WorkspaceError `too_large` */
export async function* limited(
  source: AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const bytes of source) {
    length += bytes.length
    if (length > limitBytes) throw tooLargeError(limitBytes, 'A file')
    yield bytes
  }
}

/** @param kind as for `sendContinue` */
export function tooLargeError(limitBytes: number, kind: string): WorkspaceError {
  const limit = limitBytes % 1048576 === 0 ? `${limitBytes / 1048576} MB` : `${limitBytes} bytes`
  return new WorkspaceError('too_large', `${kind} may be at most ${limit} long.`, { fields: { limitBytes } })
}

export const incompleteBodyError = (): WorkspaceError =>
  new WorkspaceError('bad_request', 'The body ended before it was complete.')

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
