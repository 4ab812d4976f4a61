import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Context } from './context.ts'
import { methodNotAllowed } from './error-response.ts'
import { methodRefusal, pathHint } from './fs/hints.ts'

/** The last middleware: 404, or 405 where the path exists for other methods. */
export function notFound(ctx: Context): never {
  // The first match is the most specific: routes with fixed names precede those with parameters.
  const [route, ...others] = (ctx.matched ?? []) as { path: string | RegExp; methods: string[] }[]
  if (!route) {
    const hint = pathHint(ctx.path)
    if (hint === null)
      throw new WorkspaceError('not_found', 'No such path.', { next: { step: 'list the tree' } })
    throw new WorkspaceError('not_found', `No such path. ${hint}`)
  }
  const methods = new Set(route.methods)
  for (const other of others) {
    if (other.path === route.path) for (const method of other.methods) methods.add(method)
  }
  const allow = [...methods].sort().join(', ')
  throw methodNotAllowed(methodRefusal(ctx, allow), allow)
}
