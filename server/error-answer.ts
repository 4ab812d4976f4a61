import type { ErrorCode } from '../core/errors.ts'

export const statusFor: Record<ErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unprocessable: 422,
  too_many_requests: 429,
  unavailable: 503,
}

/** The file tree's own codes; every other status is a `bad_request` there. */
const treeCodes = new Map<number, string>([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [422, 'unprocessable'],
])

/** The target is a path as a rule, but a whole address from those who speak to a proxy. */
const inTree = /^(?:https?:\/\/[^/?#]*)?\/v1\/fs(?:[/?#]|$)/

/** The body of an error answer, in the shape of the tree that the request's target is in (`interface.md`, Errors). */
export function errorBody(
  target: string,
  status: number,
  message: string,
  requestId: string,
): Record<string, unknown> {
  if (!inTree.test(target)) return { error: message, requestId }
  return { error: treeCodes.get(status) ?? 'bad_request', message, requestId }
}
