import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes, refusalRoutes } from '../context.ts'
import { methodNotAllowed } from '../error-response.ts'
import type { Shape } from '../request-fields.ts'
import { writtenPage } from '../schemas/tree.ts'
import { methodHint } from './hints.ts'
import { expectedRevision } from './preconditions.ts'
import { requestedView, viewParameter } from './requested-view.ts'

type Handler = (ctx: RouteContext) => void | Promise<void>

interface GeneratedFileOptions {
  /** What a PUT of the whole file does and what for, where there is something in it that can be set. */
  put?: { purpose: string; answer: Handler }
  /** The parameters of a GET. */
  query?: Shape
  /** The media type of a GET's answer; default `text/markdown`. */
  type?: `${string}/${string}`
  /** What a GET answers where the path names a folder. */
  listing?: z.ZodType
}

/**
 * A file that is made for its reader on the spot. It has no blocks to be viewed or written alone.
 * @param purpose of a GET
 */
export function generatedFile(
  path: string,
  purpose: string,
  answer: Handler,
  { put, query = {}, type = 'text/markdown', listing }: GeneratedFileOptions = {},
): Routes {
  const allowed = put ? 'GET, HEAD, PUT' : 'GET, HEAD'
  const routes = newRoutes()
  if (listing) routes.answers(listing)
  routes
    .purpose(purpose)
    .answers(type)
    .get(path, accepts({ query: { ...query, ...viewParameter } }), (ctx) => {
      refuseView(ctx)
      return answer(ctx)
    })
  if (put) {
    routes
      .purpose(put.purpose)
      .answers(writtenPage, 201)
      .put(
        path,
        accepts({
          query: { ...expectedRevision, block: z.string().optional(), ...viewParameter },
          body: 'markdown',
        }),
        (ctx) => {
          refuseBlock(ctx)
          refuseView(ctx)
          return put.answer(ctx)
        },
      )
  }
  return routes.all(refusalRoutes, path, (ctx) => {
    if (ctx.method === 'PUT') refuseBlock(ctx)
    throw methodNotAllowed(
      `${ctx.method} is not allowed here, only ${allowed}.${methodHint(ctx.method, ctx.path)}`,
      allowed,
    )
  })
}

function refuseBlock(ctx: RouteContext): void {
  if (ctx.query.block === undefined) return
  throw new WorkspaceError('invalid', 'This file is generated and has no blocks to write.')
}

function refuseView(ctx: RouteContext): void {
  if (requestedView(ctx) === undefined) return
  throw new WorkspaceError(
    'invalid',
    'This file is generated and has no views. Read or write it without ?view=.',
  )
}
