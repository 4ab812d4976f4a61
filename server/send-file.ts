import type { Readable } from 'node:stream'
import contentDisposition from 'content-disposition'
import { contentType } from 'mime-types'
import parseRange from 'range-parser'
import type { ServedFile } from '../core/files/types.ts'
import type { Context } from './context.ts'
import { errorBody } from './error-response.ts'

/** Browsers display these and download the rest. None of these can contain scripts. */
const inlineTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'text/plain',
])

/** Keeps an upload from running anything in another member's browser. */
export function setContentHeaders(ctx: Context): void {
  ctx.set({
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'private, no-cache',
  })
}

/** Streams a file or the requested range of it (RFC 9110). */
export function sendFile(ctx: Context, file: ServedFile): void {
  const { name, type, size } = file
  setContentHeaders(ctx)
  ctx.set('Content-Type', contentType(type) || type)
  ctx.set(
    'Content-Disposition',
    contentDisposition(name, { type: inlineTypes.has(type) ? 'inline' : 'attachment' }),
  )
  ctx.set('Accept-Ranges', 'bytes')
  ctx.set('ETag', etagOf(file))
  ctx.lastModified = new Date(file.changedMs)
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const range = requestedRange(ctx, file)
  if (range === 'none of it') {
    rejectRange(ctx, size)
    return
  }
  if (range) {
    ctx.status = 206
    ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
  }
  // For HEAD, nothing would read the stream to its end, which closes it.
  const isEmpty = ctx.method === 'HEAD' || size === 0
  ctx.body = isEmpty ? '' : bodyOf(file, range ?? undefined)
  ctx.length = range ? range.end - range.start + 1 : size
}

function bodyOf(file: ServedFile, range?: { start: number; end: number }): Buffer | Readable {
  const bytes = file.bytes?.(range)
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : file.stream(range)
}

const etagOf = ({ tag, isTagWeak }: ServedFile): string => (isTagWeak ? `W/"${tag}"` : `"${tag}"`)

/** Null for the whole file. Several ranges and malformed ones are ignored. */
function requestedRange(
  ctx: Context,
  file: ServedFile,
): { start: number; end: number } | 'none of it' | null {
  const header = ctx.req.headers.range
  if (ctx.method !== 'GET' || header === undefined || !matchesIfRange(ctx, file)) return null
  const ranges = parseRange(file.size, header)
  if (ranges === -1) return 'none of it'
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null
  return ranges[0]!
}

/** A resumed download needs the rest of the same file, else all of the new one (`If-Range`). */
function matchesIfRange(ctx: Context, file: ServedFile): boolean {
  const condition = ctx.req.headers['if-range']
  if (condition === undefined) return true
  if (condition.includes('"')) return condition === `"${file.tag}"` && !file.isTagWeak
  return condition === new Date(file.changedMs).toUTCString()
}

function rejectRange(ctx: Context, size: number): void {
  for (const header of ['Content-Disposition', 'ETag', 'Last-Modified']) ctx.remove(header)
  ctx.status = 416
  ctx.set('Content-Range', `bytes */${size}`)
  ctx.set('Content-Type', 'application/json; charset=utf-8')
  const message = `The file is ${size} bytes long; the requested range is outside it.`
  ctx.body = errorBody({
    target: ctx.req.url!,
    status: 416,
    code: 'range_not_satisfiable',
    message,
    requestId: ctx.state.requestId,
  })
}
