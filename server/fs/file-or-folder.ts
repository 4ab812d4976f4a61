import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { RouteContext } from '../context.ts'

/** Sends the file, else the folder; a trailing slash asks for the folder first. @throws as `sendFile` */
export async function sendFileOrFolder(
  ctx: RouteContext,
  sendFile: () => void | Promise<void>,
  folder: (ctx: RouteContext) => Promise<object | null>,
): Promise<void> {
  const listing = ctx.path.endsWith('/') ? await folder(ctx) : null
  if (listing) {
    ctx.body = listing
    return
  }
  try {
    await sendFile()
  } catch (error) {
    const listing = error instanceof WorkspaceError && error.code === 'not_found' ? await folder(ctx) : null
    if (!listing) throw error
    ctx.body = listing
  }
}
