import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { RouteContext } from '../context.ts'

/**
 * Answers with what a name means where it can be a file or a folder: the file, unless there is none or a slash stands at
 * the end.
 * @param answerFile throws WorkspaceError `not_found` where there is no such file
 * @param folder what the folder of that name holds; null where there is no such folder
 * @throws what `answerFile` throws, where there is no such folder either
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
