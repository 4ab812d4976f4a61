import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Context } from './context.ts'
import { methodNotAllowed } from './error-response.ts'
import { methodHint, pathHint } from './fs/hints.ts'

/** The last middleware: what no route has answered is 404, or 405 where the path is right and the method is not. */
export function notFound(ctx: Context): never {
  // The first that fits is the most particular: routes with fixed names come before those with free ones.
  const [route, ...others] = (ctx.matched ?? []) as { path: string | RegExp; methods: string[] }[]
  if (!route) {
    throw new WorkspaceError('not_found', `No such path. ${pathHint(ctx.path)}`)
  }
  const methods = new Set(route.methods)
  for (const other of others) {
    if (other.path === route.path) for (const method of other.methods) methods.add(method)
  }
  const allow = [...methods].sort().join(', ')
  throw methodNotAllowed(
    `${ctx.method} is not allowed here, only ${allow}.${methodHint(ctx.method, ctx.path)}`,
    allow,
  )
}
