import { type AcceptedInput, acceptedInput } from './accepted-input.ts'
import {
  declaredOutcomes,
  type RouteAnswers,
  type RouteRefusal,
  type Routes,
  refusalRoutes,
} from './context.ts'
import type { DescribedHeaders } from './described-headers.ts'

export interface Endpoint {
  method: string
  /** `:name` is a parameter, `*name` the rest of the path. */
  path: string
  purpose?: string | undefined
  /** Undefined for pages, which accept whatever a browser sends. */
  accepts?: AcceptedInput | undefined
  answers?: RouteAnswers | undefined
  answersHeaders?: DescribedHeaders
  refuses?: readonly RouteRefusal[]
}

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function endpointsOf(routes: readonly Routes[]): Endpoint[] {
  const endpoints = new Map<string, Endpoint>()
  for (const { methods, name, path, stack } of routes.flatMap(({ stack }) => stack)) {
    if (name === refusalRoutes || typeof path !== 'string') continue
    for (const method of methods) {
      if (method !== 'HEAD')
        endpoints.set(`${method} ${path}`, {
          method,
          path,
          purpose: name,
          accepts: acceptedInput(stack),
          ...declaredOutcomes(stack),
        })
    }
  }
  return [...endpoints.values()].sort(
    (one, other) =>
      (one.path < other.path ? -1 : Number(one.path > other.path)) ||
      methodOrder.indexOf(one.method) - methodOrder.indexOf(other.method),
  )
}
