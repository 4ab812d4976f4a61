import Router, { type RouterContext, type RouterMiddleware } from '@koa/router'
import type Koa from 'koa'
import type { z } from 'zod'
import type { Caller } from '../core/access/member.ts'
import type { ErrorCode } from '../core/errors/workspace-error.ts'
import type { DescribedHeaders } from './described-headers.ts'

export interface RequestState {
  requestId: string
  caller: Caller
  /** Fires when the server is about to stop; held requests then answer with what they have. */
  stopping: AbortSignal
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
export type RouteContext = RouterContext<RequestState>

export type RouteAnswer = z.ZodType | `${string}/${string}`
/** By status. Several where a query or the kind of file decides. */
export type RouteAnswers = ReadonlyMap<number, readonly RouteAnswer[]>

/** What a route declares itself. Other refusals follow from its input or apply to every request. */
export type RouteRefusal = Extract<
  ErrorCode,
  'forbidden' | 'not_found' | 'method_not_allowed' | 'conflict' | 'too_large'
>

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Handlers = RouterMiddleware<RequestState>[]

export interface Routes
  extends Pick<Router<RequestState>, 'routes' | 'stack'>,
    Record<Verb, (path: string, ...handlers: Handlers) => Routes> {
  all(name: string, path: string, ...handlers: Handlers): Routes
  use(...routes: ReturnType<Routes['routes']>[]): Routes
  /** The next route's row in docs/api.md. */
  purpose(purpose: string): Routes
  /** A successful answer of the next route. May be called more than once. */
  answers(answer: RouteAnswer, status?: number): Routes
  answersHeaders(headers: DescribedHeaders): Routes
  refuses(...codes: RouteRefusal[]): Routes
}

interface DeclaredOutcomes {
  answers?: RouteAnswers
  answersHeaders: DescribedHeaders
  refuses: readonly RouteRefusal[]
}

const outcomesOf = new WeakMap<object, DeclaredOutcomes>()

/** @param stack the route's middleware, which stays the same wherever it is mounted */
export const declaredOutcomes = (stack: readonly object[]): DeclaredOutcomes =>
  stack.map((middleware) => outcomesOf.get(middleware)).find((outcomes) => outcomes !== undefined) ?? {
    answersHeaders: {},
    refuses: [],
  }

/** The name of routes that only refuse, which are not endpoints. */
export const refusalRoutes = 'refusals'

/**
 * Paths are case-sensitive like file names. A route's purpose serves as its name, which survives mounting.
 */
export function newRoutes(prefix = ''): Routes {
  const router = new Router<RequestState>({ prefix, sensitive: true })
  const register = router.register.bind(router)
  let nextPurpose: string | undefined
  let answers = new Map<number, RouteAnswer[]>()
  let answersHeaders: DescribedHeaders = {}
  let refuses: readonly RouteRefusal[] = []
  const declarations = {
    purpose(purpose: string) {
      nextPurpose = purpose
      return router
    },
    answers(answer: RouteAnswer, status = 200) {
      answers.set(status, [...(answers.get(status) ?? []), answer])
      return router
    },
    answersHeaders(described: DescribedHeaders) {
      answersHeaders = described
      return router
    },
    refuses(...codes: RouteRefusal[]) {
      refuses = codes
      return router
    },
    register(...[path, methods, handlers, options]: Parameters<typeof register>) {
      const name = options?.name ?? nextPurpose
      nextPurpose = undefined
      const handler = [handlers].flat().at(-1)!
      outcomesOf.set(handler, { ...(answers.size > 0 && { answers }), answersHeaders, refuses })
      answers = new Map()
      answersHeaders = {}
      refuses = []
      return register(path, methods, handlers, { ...options, ...(name !== undefined && { name }) })
    },
  }
  return Object.assign(router, declarations) as unknown as Routes
}
