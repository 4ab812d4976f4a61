import Router, { type RouterContext, type RouterMiddleware } from '@koa/router'
import type Koa from 'koa'
import type { z } from 'zod'
import type { Caller } from '../core/access/member.ts'
import type { ErrorCode } from '../core/errors/workspace-error.ts'
import type { DescribedHeaders } from './described-headers.ts'

/** What the middleware has learnt of a request by the time that a route sees it. */
export interface RequestState {
  requestId: string
  /** Set wherever a key is asked for: under `/api` and `/v1`. */
  caller: Caller
  /** Fires when the server is about to stop: a held request answers then with what it has. */
  stopping: AbortSignal
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
export type RouteContext = RouterContext<RequestState>

/** What a route answers where it succeeds: JSON of a shape, or a body of a media type. */
export type RouteAnswer = z.ZodType | `${string}/${string}`
/** By status; several where a query or the kind of a file decides between them. */
export type RouteAnswers = ReadonlyMap<number, readonly RouteAnswer[]>

/** What a route may refuse by itself. Others follow from its input, or from what every request goes through. */
export type RouteRefusal = Extract<
  ErrorCode,
  'forbidden' | 'not_found' | 'method_not_allowed' | 'conflict' | 'too_large'
>

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Handlers = RouterMiddleware<RequestState>[]

/** A router each of whose routes has a purpose, given in the line above it. */
export interface Routes
  extends Pick<Router<RequestState>, 'routes' | 'stack'>,
    Record<Verb, (path: string, ...handlers: Handlers) => Routes> {
  all(name: string, path: string, ...handlers: Handlers): Routes
  use(...routes: ReturnType<Routes['routes']>[]): Routes
  /** What the next route is for, in one line: its row in docs/api.md. */
  purpose(purpose: string): Routes
  /** What the next route answers where it succeeds; may be said more than once. */
  answers(answer: RouteAnswer, status?: number): Routes
  /** The headers that the next route sets where it succeeds, beside those that every answer has. */
  answersHeaders(headers: DescribedHeaders): Routes
  /** What the next route may refuse by itself. */
  refuses(...codes: RouteRefusal[]): Routes
}

interface DeclaredOutcomes {
  answers?: RouteAnswers
  answersHeaders: DescribedHeaders
  refuses: readonly RouteRefusal[]
}

const outcomesOf = new WeakMap<object, DeclaredOutcomes>()

/**
 * What a route answers and refuses, as it declares it.
 * @param stack the middleware of the route, which stays the same wherever the route is mounted
 */
export const declaredOutcomes = (stack: readonly object[]): DeclaredOutcomes =>
  stack.map((middleware) => outcomesOf.get(middleware)).find((outcomes) => outcomes !== undefined) ?? {
    answersHeaders: {},
    refuses: [],
  }

/** The name of routes that answer nothing but refusals: they are no endpoints. */
export const refusalRoutes = 'refusals'

/**
 * Paths are told apart by case, as file names are, and as the check for a key does. A route is named by its purpose: the
 * router keeps the name of a route wherever it is mounted.
 */
export function newRoutes(prefix = ''): Routes {
  const router = new Router<RequestState>({ prefix, sensitive: true })
  const register = router.register.bind(router)
  let next: string | undefined
  let answers = new Map<number, RouteAnswer[]>()
  let answersHeaders: DescribedHeaders = {}
  let refuses: readonly RouteRefusal[] = []
  const named = {
    purpose(purpose: string) {
      next = purpose
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
      const name = options?.name ?? next
      next = undefined
      const handler = [handlers].flat().at(-1)!
      outcomesOf.set(handler, { ...(answers.size > 0 && { answers }), answersHeaders, refuses })
      answers = new Map()
      answersHeaders = {}
      refuses = []
      return register(path, methods, handlers, { ...options, ...(name !== undefined && { name }) })
    },
  }
  // Its methods answer the router itself, which the types of @koa/router do not say.
  return Object.assign(router, named) as unknown as Routes
}
