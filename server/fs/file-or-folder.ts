import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { RouteContext } from '../context.ts'

/** Sends the file, else the folder; a trailing slash asks for the folder first. @throws as `answerFile` */
export async function sendFileOrFolder(
  ctx: RouteContext,
  answerFile: () => void | Promise<void>,
  folder: (ctx: RouteContext) => Promise<object | null>,
): Promise<void> {
  const wanted = ctx.path.endsWith('/') ? await folder(ctx) : null
  if (wanted) {
    ctx.body = wanted
    return
  }
  try {
    await answerFile()
  } catch (error) {
    const found = error instanceof WorkspaceError && error.code === 'not_found' ? await folder(ctx) : null
    if (!found) throw error
    ctx.body = found
  }
}
