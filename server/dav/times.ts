import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { parseUnixTime } from '../../core/mount/file-times.ts'
import type { PathSegments, Tagged } from '../../core/mount/types.ts'
import type { Context } from '../context.ts'
import type { DavContext } from './dav-context.ts'

/**
 * Applies `X-OC-Mtime` (Unix seconds) to a file just written. A failure only omits the response header.
 * @param tag of what was written; null for any file at the path
 * @returns the file with its new tag; null if no time was set
 */
export async function applySentTime(
  ctx: Context,
  { mount }: DavContext,
  names: PathSegments,
  tag: string | null,
): Promise<Tagged | null> {
  const mtimeMs = parseUnixTime(ctx.get('X-OC-Mtime'))
  if (mtimeMs === null) return null
  try {
    const file = await mount.setTime(ctx.state.caller, names, mtimeMs, tag)
    if (file) ctx.set('X-OC-MTime', 'accepted')
    return file
  } catch (error) {
    if (error instanceof WorkspaceError) return null
    throw error
  }
}
