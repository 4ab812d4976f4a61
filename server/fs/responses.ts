import type { DocumentView, WriteResult } from '../../core/documents/model/types.ts'
import { unreachedField } from '../../core/inbox/unreached.ts'
import type { Reading } from '../../core/revisions/reading.ts'
import type { Context } from '../context.ts'
import { isNotModified } from './preconditions.ts'

/** Kept by the caller alone, and asked about each time: a file can change on the disk at any moment. */
const cacheControl = 'private, no-cache'

const setReadHeaders = (ctx: Context, reading: Reading) => {
  const { res } = ctx
  res.setHeader('X-Service-Url', reading.url)
  res.setHeader('X-Service-Revision', reading.revision)
  res.setHeader('Cache-Control', cacheControl)
  res.setHeader('ETag', `"${reading.revision}"`)
}

const isKnown = (ctx: Context, { isEnvelopeAsWritten, revision }: Reading): boolean =>
  isEnvelopeAsWritten && isNotModified(ctx.req.headers['if-none-match'], revision)

/** Answers with a file (`docs/interface.md#reading-a-file`), or 304 where the caller has it already. */
export function sendDocument(ctx: Context, reading: Reading): void {
  setReadHeaders(ctx, reading)
  if (isKnown(ctx, reading)) {
    ctx.status = 304
    return
  }
  ctx.res.setHeader('Content-Type', 'text/markdown; charset=utf-8')
  ctx.body = reading.body
}

/**
 * Answers with a view of a file, or 304. Its `ETag` is the file's revision: an address with another query is another
 * resource, whose tags are its own. A view names the path of its file, of which the revision says nothing: asked for by
 * anything but its name, the file may have been elsewhere when the caller asked last.
 */
export async function sendView(ctx: Context, { reading, isByName, text }: DocumentView): Promise<void> {
  const body = isByName && isKnown(ctx, reading) ? null : await text()
  setReadHeaders(ctx, reading)
  if (body === null) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', 'application/json; charset=utf-8')
  ctx.body = body
}

export function sendGenerated(ctx: Context, text: string, type: 'text/markdown' | 'text/plain'): void {
  ctx.set('Cache-Control', cacheControl)
  ctx.set('Content-Type', `${type}; charset=utf-8`)
  ctx.body = text
}

/** Answers a write (`docs/interface.md#writing-a-file`): 201, also where it changed a file that was there. */
export function sendWriteResult(ctx: Context, written: WriteResult): void {
  const { filename, path, id, url, created, changed, blockIds, revision, unreached = [] } = written
  ctx.set('ETag', `"${revision}"`)
  ctx.set('X-Service-Revision', revision)
  ctx.set('X-Service-Url', url)
  ctx.status = 201
  ctx.body = { filename, path, id, url, created, changed, blockIds, ...unreachedField(unreached) }
}
