import type { DocumentView, WriteResult } from '../../core/documents/model/types.ts'
import { unreachedField } from '../../core/inbox/unreached.ts'
import type { Reading } from '../../core/revisions/reading.ts'
import type { Context } from '../context.ts'
import { isNotModified } from './preconditions.ts'

/** Revalidated each time, since the file may change on the disk at any moment. */
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

/** Answers 304 if the caller has the file already (`docs/interface.md#reading-a-file`). */
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
 * A view contains its file's path, but its `ETag` is the file's revision, which a move does not change. So
 * 304 is safe only where the file was requested by its name.
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

/** 201 even where an existing file changed (`docs/interface.md#writing-a-file`). */
export function sendWriteResult(ctx: Context, written: WriteResult): void {
  const { filename, path, id, url, created, changed, blockIds, revision, unreached = [] } = written
  ctx.set('ETag', `"${revision}"`)
  ctx.set('X-Service-Revision', revision)
  ctx.set('X-Service-Url', url)
  ctx.status = 201
  ctx.body = { filename, path, id, url, created, changed, blockIds, ...unreachedField(unreached) }
}
