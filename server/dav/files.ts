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
import { setSentTime } from './times.ts'

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
export async function put(ctx: Context, mounting: DavContext): Promise<void> {
  const { mount, allowLongBody } = mounting
  const { req } = ctx
  const names = namesOf(ctx.path)
  try {
    if (req.headers['content-range'] !== undefined) {
      throw new DavError(400, 'Send the whole file: partial writes are not supported.')
    }
    const conditions = await Conditions.of(ctx, mounting, names)
    const there = await mount.find(ctx.state.caller, names)
    conditions.requireAll(there?.kind === 'file' ? there.tag : null)
    requireUnlocked(mounting, ctx.state.caller, conditions, { names, isListed: there === null })
    const begin = (limitBytes: number) => {
      sendContinue(ctx, limitBytes, 'A file')
      allowLongBody(req)
      return verifyChecksum(ctx, bytesOf(req, limitBytes))
    }
    const written = await mount.put(ctx.state.caller, names, begin, (tag) => conditions.evaluate(tag))
    const dated = await setSentTime(ctx, mounting, names, written.tag)
    ctx.set('ETag', etagOf(dated ?? written))
    ctx.status = written.created ? 201 : 204
    ctx.body = ''
  } finally {
    drainBriefly(req)
  }
}

export async function makeFolder(ctx: Context, mounting: DavContext): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = ctx.req.headers
  if (length !== '0' || encoding !== undefined) throw new DavError(415, 'A folder is created without a body.')
  const names = namesOf(ctx.path)
  const conditions = await Conditions.of(ctx, mounting, names)
  conditions.requireAll(null)
  requireUnlocked(mounting, ctx.state.caller, conditions, { names, isListed: true })
  await mounting.mount.makeFolder(ctx.state.caller, names)
  ctx.status = 201
  ctx.body = ''
}

/** DELETE (RFC 4918, 9.6) moves to the trash, except for scratch files. */
export async function remove(ctx: Context, mounting: DavContext): Promise<void> {
  const { mount, locks } = mounting
  const names = namesOf(ctx.path)
  const conditions = await Conditions.of(ctx, mounting, names)
  const node = await mount.find(ctx.state.caller, names)
  if (!node) throw notFoundError(ctx)
  // First, because a refusal for a lock reveals what is locked.
  mount.requireWriting(ctx.state.caller, names)
  requireUnlocked(mounting, ctx.state.caller, conditions, { names, isListed: true, isDeep: true })
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
