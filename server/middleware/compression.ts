import compress from 'koa-compress'
import { isInMount } from '../../core/paths.ts'
import type { Context, Middleware } from '../context.ts'

/** A shorter answer fits into one packet as it is. */
const threshold = 1024

const compressed = compress({ threshold, zstd: false, deflate: false }) as Middleware

/**
 * Leaves out WebDAV, whose clients compare lengths; files that can be requested in ranges, which count stored
 * bytes; and requests of other sites, which could learn secrets from lengths
 * (`docs/decisions/0034-compress-texts.md`).
 */
export const compression: Middleware = (ctx, next) => {
  if (!mayCompress(ctx)) return next()
  return compressed(ctx, async () => {
    await next()
    if (ctx.response.get('Accept-Ranges')) ctx.compress = false
  })
}

const mayCompress = (ctx: Context): boolean =>
  ctx.headers['accept-encoding'] !== undefined &&
  ctx.headers['sec-fetch-site'] !== 'cross-site' &&
  !isInMount(ctx.path)
