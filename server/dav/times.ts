import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { parseUnixTime } from '../../core/mount/file-times.ts'
import type { PathSegments, Tagged } from '../../core/mount/types.ts'
import type { Context } from '../context.ts'
import type { DavContext } from './dav-context.ts'

/**
 * Sets the time of a file that was just written to the one that came along in `X-OC-Mtime` (Unix seconds), and says so. A
 * time that cannot be kept is no reason to refuse what has been written: then nothing is said.
 * @param tag of what was written; null: whatever lies there
 * @returns the file as it is named then; null where no time was set
 */
export async function setSentTime(
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
