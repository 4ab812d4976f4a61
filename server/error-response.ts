import { type ErrorCode, type ErrorExtras, WorkspaceError } from '../core/errors/workspace-error.ts'

/** The codes in responses: `invalid` is `unprocessable` or `bad_request`, by the request's target. */
type KnownCode = Exclude<ErrorCode, 'invalid'> | 'unprocessable'

export const statusFor: Record<KnownCode, number> = {
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

/** The JSON endpoints: those under `/api`, under `/v1` outside of the file tree, and the pages' own. */
const jsonTarget = /^(?:https?:\/\/[^/?#]*)?\/(?:api|v1(?!\/fs(?:[/?#]|$))|unreached)(?:[/?#]|$)/

/** What is invalid is 400 on the JSON endpoints, and 422 where files are written (`docs/interface.md#errors`). */
export function codeAndStatus(code: ErrorCode, target: string): { code: KnownCode; status: number } {
  const invalid = jsonTarget.test(target) ? 'bad_request' : 'unprocessable'
  const known = code === 'invalid' ? invalid : code
  return { code: known, status: statusFor[known] }
}

export class HttpError extends WorkspaceError {
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, message: string, headers: Record<string, string>, extras: ErrorExtras = {}) {
    super(code, message, extras)
    this.headers = headers
  }
}

/** @param allowed the methods that are possible, in the order in which they are named */
export const methodNotAllowed = (message: string, allowed: string): HttpError =>
  new HttpError('method_not_allowed', message, { Allow: allowed })

/** `Retry-After` is in whole seconds, and never says that there is nothing to wait for. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

export function headersOf(error: WorkspaceError): Record<string, string> {
  return {
    ...(error instanceof HttpError && error.headers),
    ...(error.retryAfterMs !== undefined && { 'Retry-After': String(wholeSeconds(error.retryAfterMs)) }),
  }
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

const isInTree = (target: string): boolean => treeTarget.test(target)

/** What a program tells refusals apart by: those of the workspace, of HTTP itself, and faults of ours. */
export type ResponseCode =
  | KnownCode
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
