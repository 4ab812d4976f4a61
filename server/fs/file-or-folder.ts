import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { RouteContext } from '../context.ts'

/**
 * Sends the file of a name, or the folder if there is no file or the path ends in a slash.
 * @param answerFile throws WorkspaceError `not_found` if there is no such file
 * @param folder the folder's contents; null if there is none
 * @throws as `answerFile` if there is no folder either
 */
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
