import compress from 'koa-compress'
import { isInMount } from '../../core/paths.ts'
import type { Context, Middleware } from '../context.ts'

/** In bytes; a shorter answer fits into a packet as it is. */
const threshold = 1024

const compressed = compress({ threshold, zstd: false, deflate: false }) as Middleware

/**
 * Compresses texts for clients that accept it (`docs/decisions/0034-compress-texts.md`). Not WebDAV, whose clients compare
 * lengths; not what can be asked for in ranges, which count the bytes as stored; and nothing for a request that another
 * site made, which could read a secret from the lengths of many answers.
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
