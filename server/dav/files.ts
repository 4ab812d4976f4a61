import type { Context } from '../context.ts'
import { bytesOf, sendContinue } from '../middleware/body.ts'
import { drainBriefly } from '../middleware/upload.ts'
import { sendFile } from '../send-file.ts'
import { verifyChecksum } from './checksums.ts'
import { Conditions, requireUnlocked } from './conditions.ts'
import type { DavContext } from './dav-context.ts'
import { DavError } from './dav-error.ts'
import { sendFailures } from './multistatus.ts'
import { hrefOf, namesOf } from './paths.ts'
import { etagOf } from './properties.ts'
import { notFoundError } from './propfind.ts'
import { applySentTime } from './times.ts'

export async function get(ctx: Context, { mount }: DavContext): Promise<void> {
  const names = namesOf(ctx.path)
  const node = await mount.find(ctx.state.caller, names)
  if (!node) throw notFoundError(ctx)
  if (node.kind === 'file') {
    sendFile(ctx, node)
    return
  }
  const children = await mount.list(ctx.state.caller, names)
  ctx.set('Cache-Control', 'private, no-cache')
  ctx.set('Content-Type', 'text/plain; charset=utf-8')
  ctx.body = children.map(({ kind, name }) => (kind === 'folder' ? `${name}/\n` : `${name}\n`)).join('')
}

/** PUT stores the bytes unchanged. */
export async function put(ctx: Context, davContext: DavContext): Promise<void> {
  const { mount, allowLongBody } = davContext
  const { req } = ctx
  const names = namesOf(ctx.path)
  try {
    if (req.headers['content-range'] !== undefined) {
      throw new DavError(400, 'Send the whole file: partial writes are not supported.')
    }
    const conditions = await Conditions.of(ctx, davContext, names)
    const existing = await mount.find(ctx.state.caller, names)
    conditions.requireAll(existing?.kind === 'file' ? existing.tag : null)
    requireUnlocked(davContext, ctx.state.caller, conditions, { names, isListed: existing === null })
    const begin = (limitBytes: number) => {
      sendContinue(ctx, limitBytes, 'A file')
      allowLongBody(req)
      return verifyChecksum(ctx, bytesOf(req, limitBytes))
    }
    const written = await mount.put(ctx.state.caller, names, begin, (tag) => conditions.evaluate(tag))
    const updated = await applySentTime(ctx, davContext, names, written.tag)
    ctx.set('ETag', etagOf(updated ?? written))
    ctx.status = written.created ? 201 : 204
    ctx.body = ''
  } finally {
    drainBriefly(req)
  }
}

export async function makeFolder(ctx: Context, davContext: DavContext): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = ctx.req.headers
  if (length !== '0' || encoding !== undefined) throw new DavError(415, 'A folder is created without a body.')
  const names = namesOf(ctx.path)
  const conditions = await Conditions.of(ctx, davContext, names)
  conditions.requireAll(null)
  requireUnlocked(davContext, ctx.state.caller, conditions, { names, isListed: true })
  await davContext.mount.makeFolder(ctx.state.caller, names)
  ctx.status = 201
  ctx.body = ''
}

/** DELETE (RFC 4918, 9.6) moves to the trash, except for scratch files. */
export async function remove(ctx: Context, davContext: DavContext): Promise<void> {
  const { mount, locks } = davContext
  const names = namesOf(ctx.path)
  const conditions = await Conditions.of(ctx, davContext, names)
  const node = await mount.find(ctx.state.caller, names)
  if (!node) throw notFoundError(ctx)
  // First, because a refusal for a lock reveals what is locked.
  mount.requireWriting(ctx.state.caller, names)
  requireUnlocked(davContext, ctx.state.caller, conditions, { names, isListed: true, isDeep: true })
  if (node.kind === 'folder') {
    if ((ctx.get('Depth') || 'infinity').toLowerCase() !== 'infinity') {
      throw new DavError(
        400,
        `${hrefOf(names, true)} is deleted with everything in it: Depth must be infinity.`,
      )
    }
    conditions.requireAll('')
  }
  const failures = await mount.remove(ctx.state.caller, names, (tag) => conditions.evaluate(tag))
  if (failures.length > 0) {
    sendFailures(ctx, failures)
    return
  }
  await locks.removeWithin(names)
  ctx.status = 204
}
