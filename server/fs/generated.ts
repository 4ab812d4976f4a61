import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type RouteRefusal, type Routes, refusalRoutes } from '../context.ts'
import { type DescribedHeaders, writeConditions } from '../described-headers.ts'
import { methodNotAllowed } from '../error-response.ts'
import { type FieldsOf, readQuery, type Shape } from '../request-fields.ts'
import { writtenPage } from '../schemas/tree.ts'
import { methodRefusal } from './hints.ts'
import { expectedRevision } from './preconditions.ts'
import { viewParameter } from './requested-view.ts'

type Handler<Query extends Shape> = (ctx: RouteContext, query: FieldsOf<Query>) => void | Promise<void>

interface GeneratedFileOptions<Query extends Shape> {
  /** A PUT of the whole file, if part of it can be changed. */
  put?: { purpose: string; answersHeaders: DescribedHeaders; handler: Handler<typeof expectedRevision> }
  refuses?: readonly RouteRefusal[]
  query?: Query
  headers?: DescribedHeaders
  answersHeaders?: DescribedHeaders
  type?: `${string}/${string}`
  /** What a GET returns at the path of a folder. */
  listing?: z.ZodType
}

const writeFile = accepts({
  query: {
    ...expectedRevision,
    ...viewParameter,
    block: z.string().describe('Refused. A generated file has no blocks.').optional(),
  },
  body: 'markdown',
  headers: writeConditions,
})

/** A file that is generated for each reader. It has no blocks. @param purpose of its GET */
export function generatedFile<Query extends Shape = Record<never, never>>(
  path: string,
  purpose: string,
  handler: Handler<Query>,
  options: GeneratedFileOptions<Query> = {},
): Routes {
  const { put, refuses = [], query = {} as Query, headers = {}, type = 'text/markdown', listing } = options
  const allowed = put ? 'GET, HEAD, PUT' : 'GET, HEAD'
  const routes = newRoutes()
  if (listing) routes.answers(listing)
  routes
    .purpose(purpose)
    .answers(type)
    .answersHeaders(options.answersHeaders ?? {})
    .refuses(...refuses)
    .get(path, accepts({ query: { ...query, ...viewParameter }, headers }), (ctx) => {
      refuseView(ctx)
      return handler(ctx, readQuery(ctx, query))
    })
  if (put) {
    routes
      .purpose(put.purpose)
      .answers(writtenPage, 201)
      .answersHeaders(put.answersHeaders)
      .refuses(...refuses, 'conflict')
      .put(path, writeFile, (ctx) => {
        refuseBlock(ctx)
        refuseView(ctx)
        return put.handler(ctx, writeFile.query(ctx))
      })
  }
  return routes.all(refusalRoutes, path, (ctx) => {
    if (ctx.method === 'PUT') refuseBlock(ctx)
    throw methodNotAllowed(methodRefusal(ctx, allowed), allowed)
  })
}

function refuseBlock(ctx: RouteContext): void {
  if (ctx.query.block === undefined) return
  throw new WorkspaceError('invalid', 'This file is generated and has no blocks to write.')
}

function refuseView(ctx: RouteContext): void {
  if (readQuery(ctx, viewParameter).view === undefined) return
  throw new WorkspaceError(
    'invalid',
    'This file is generated and has no views. Read or write it without ?view=.',
  )
}
