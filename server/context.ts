import Router, { type RouterContext } from '@koa/router'
import type Koa from 'koa'
import type { Caller } from '../core/access/member.ts'

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
export type Routes = Router<RequestState>

/** The name of routes that answer nothing but refusals: they are no endpoints. */
export const refusals = 'refusals'

/** Paths are told apart by case, as file names are, and as the check for a key does. */
export const newRoutes = (prefix = ''): Routes => new Router<RequestState>({ prefix, sensitive: true })
