import type { Context } from '../context.ts'
import { Conditions, requireUnlocked } from './conditions.ts'
import type { DavContext } from './dav-context.ts'
import { DavError } from './dav-error.ts'
import { sendFailures } from './multistatus.ts'
import { destinationOf, namesOf } from './paths.ts'
import { notFoundError } from './propfind.ts'
import { applySentTime } from './times.ts'

export const transfer =
  (operation: 'copy' | 'move') =>
  async (ctx: Context, davContext: DavContext): Promise<void> => {
    const { mount, locks } = davContext
    const { caller } = ctx.state
    const from = namesOf(ctx.path)
    const to = destinationOf(ctx, davContext.publicUrl)
    const overwrite = overwriteOf(ctx)
    const isRecursive = isDeepTransfer(ctx, operation)
    const source = await mount.find(caller, from)
    if (!source) throw notFoundError(ctx)
    const conditions = await Conditions.of(ctx, davContext, from)
    conditions.requireAll(source.kind === 'file' ? source.tag : '')
    // First, because a refusal for a lock reveals what is locked.
    if (operation === 'move') {
      mount.requireWriting(caller, from)
      requireUnlocked(davContext, caller, conditions, { names: from, isListed: true, isDeep: true })
    }
    mount.requireWriting(caller, to)
    requireUnlocked(davContext, caller, conditions, { names: to, isListed: true, isDeep: true })
    const { created, failures } = await mount.transfer(caller, {
      operation,
      from,
      to,
      overwrite,
      isRecursive,
    })
    if (failures.length > 0) {
      sendFailures(ctx, failures)
      return
    }
    if (operation === 'move') await locks.removeWithin(from)
    if (source.kind === 'file') await applySentTime(ctx, davContext, to, null)
    ctx.status = created ? 201 : 204
    ctx.body = ''
  }

function overwriteOf(ctx: Context): boolean {
  const header = (ctx.get('Overwrite') || 'T').toUpperCase()
  if (header === 'T' || header === 'F') return header === 'T'
  throw new DavError(400, 'Overwrite is T or F.')
}

function isDeepTransfer(ctx: Context, operation: 'copy' | 'move'): boolean {
  const depth = (ctx.get('Depth') || 'infinity').toLowerCase()
  if (depth === 'infinity' || (depth === '0' && operation === 'copy')) return depth === 'infinity'
  throw new DavError(
    400,
    operation === 'copy' ? 'Depth is 0 or infinity.' : 'A folder is moved with everything in it.',
  )
}
