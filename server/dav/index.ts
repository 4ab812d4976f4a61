import { isInMount, mountRoot } from '../../core/paths.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { Context, Middleware } from '../context.ts'
import { methodNotAllowed } from '../error-response.ts'
import type { ServerParts } from '../parts.ts'
import type { DavContext } from './dav-context.ts'
import { DavError, davErrorBody } from './dav-error.ts'
import { get, makeFolder, put, remove } from './files.ts'
import { lock, unlock } from './lock-methods.ts'
import { DavLocks } from './locks.ts'
import { propfind } from './propfind.ts'
import { proppatch } from './proppatch.ts'
import { ResponseCache } from './response-cache.ts'
import { transfer } from './transfers.ts'

type Method = (ctx: Context, davContext: DavContext) => void | Promise<void>

const methods: Record<string, Method> = {
  OPTIONS: options,
  GET: get,
  HEAD: get,
  PUT: put,
  DELETE: remove,
  MKCOL: makeFolder,
  COPY: transfer('copy'),
  MOVE: transfer('move'),
  PROPFIND: propfind,
  PROPPATCH: proppatch,
  LOCK: lock,
  UNLOCK: unlock,
}

const allowed = Object.keys(methods).join(', ')

/** WebDAV (RFC 4918, classes 1 and 2) for the project folders. Files are stored and sent unchanged. */
export function handleDav(
  workspace: Pick<Workspace, 'clock' | 'files' | 'random'>,
  { publicUrl, uploads }: Pick<ServerParts, 'publicUrl' | 'uploads'>,
): Middleware {
  const {
    clock,
    random,
    files: { mount },
  } = workspace
  const locks = new DavLocks({ clock, random, store: mount.lockStore })
  const responseCache = new ResponseCache()
  const davContext: DavContext = {
    mount,
    locks,
    responseCache,
    publicUrl,
    allowLongBody: uploads.allowLongBody,
  }
  return async (ctx, next) => {
    // Windows asks at the root of the server before it mounts.
    if (ctx.method === 'OPTIONS' && ctx.path === '/') return options(ctx)
    if (!isInMount(ctx.path)) return next()
    try {
      // Without this, a DELETE for a place within a file would delete the file.
      if (ctx.req.url!.includes('#')) throw new DavError(400, 'The request target holds a fragment.')
      await methodOf(ctx)(ctx, davContext)
    } catch (error) {
      if (!(error instanceof DavError)) throw error
      ctx.status = error.status
      ctx.set('Content-Type', 'application/xml; charset=utf-8')
      ctx.body = davErrorBody(error, ctx.state.requestId)
    }
  }
}

function methodOf(ctx: Context): Method {
  const method = Object.hasOwn(methods, ctx.method) ? methods[ctx.method] : undefined
  if (method) return method
  throw methodNotAllowed(`${ctx.method} is not possible below ${mountRoot}/, only ${allowed}.`, allowed)
}

function options(ctx: Context): void {
  ctx.set({ DAV: '1, 2', 'MS-Author-Via': 'DAV', Allow: allowed })
  ctx.status = 200
  ctx.body = ''
}
