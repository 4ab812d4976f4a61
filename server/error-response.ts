import type { ErrorCode } from '../core/errors/workspace-error.ts'

export const statusFor: Record<ErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
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
const treeTarget = /^(?:https?:\/\/[^/?#]*)?\/v1\/fs(?:[/?#]|$)/

/** Whether a target, or a path, is in the file tree. */
export const isInTree = (target: string): boolean => treeTarget.test(target)

/** What a program tells refusals apart by: those of the workspace, of HTTP itself, and faults of ours. */
export type ResponseCode =
  | ErrorCode
  | 'request_timeout'
  | 'headers_too_large'
  | 'range_not_satisfiable'
  | 'internal_error'

export interface ErrorResponse {
  /** The request's: a path as a rule. */
  target: string
  status: number
  code: ResponseCode
  /** For the caller: what was wrong, and what to do instead. */
  message: string
  requestId: string
}

/**
 * The body of an error answer, in the shape of the tree that the request's target is in (`docs/interface.md#errors`). Outside
 * of `/v1/fs` the code is an addition to the interface.
 */
export function errorBody({
  target,
  status,
  code,
  message,
  requestId,
}: ErrorResponse): Record<string, unknown> {
  if (!isInTree(target)) return { error: message, requestId, code }
  return { error: treeCodes.get(status) ?? 'bad_request', message, requestId }
}
