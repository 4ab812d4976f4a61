import type { Reading, WriteResult } from '../../core/documents/types.ts'
import { unreachedField } from '../../core/inbox/unreached.ts'
import type { Context } from '../context.ts'
import { isFresh } from './preconditions.ts'

/** Kept by the caller alone, and asked about each time: a file can change on the disk at any moment. */
const cacheControl = 'private, no-cache'

const setReadHeaders = (ctx: Context, reading: Reading) => {
  const { res } = ctx
  res.setHeader('X-Service-Url', reading.url)
  res.setHeader('X-Service-Revision', reading.revision)
  res.setHeader('Cache-Control', cacheControl)
}

/** Answers with a file (`interface.md`, Read rules), or 304 where the caller has it already. */
export function sendReading(ctx: Context, reading: Reading): void {
  setReadHeaders(ctx, reading)
  ctx.res.setHeader('ETag', `"${reading.revision}"`)
  if (reading.isEnvelopeAsWritten && isFresh(ctx.req.headers['if-none-match'], reading.revision)) {
    ctx.status = 304
    return
  }
  ctx.res.setHeader('Content-Type', 'text/markdown; charset=utf-8')
  ctx.body = reading.body
}

/** Answers with a view of a file. It has no `ETag`: that of the file names other bytes. */
export function sendView(ctx: Context, view: { text: string; reading: Reading }): void {
  setReadHeaders(ctx, view.reading)
  ctx.set('Content-Type', 'application/json; charset=utf-8')
  ctx.body = view.text
}

/** Answers a page that is made for the caller on the spot. */
export function sendPage(ctx: Context, text: string, type: 'text/markdown' | 'text/plain'): void {
  ctx.set('Cache-Control', cacheControl)
  ctx.set('Content-Type', `${type}; charset=utf-8`)
  ctx.body = text
}

/** Answers a write (`interface.md`, Write rule 1): 201, also where it changed a file that was there. */
export function sendWritten(ctx: Context, written: WriteResult): void {
  const { filename, path, id, url, created, changed, blockIds, revision, unreached = [] } = written
  ctx.set('ETag', `"${revision}"`)
  ctx.set('X-Service-Revision', revision)
  ctx.set('X-Service-Url', url)
  ctx.status = 201
  ctx.body = { filename, path, id, url, created, changed, blockIds, ...unreachedField(unreached) }
}
