import { type ErrorCode, type ErrorExtras, WorkspaceError } from '../core/errors/workspace-error.ts'
import { type KnownCode, type ResponseCode, statusFor, treeErrorCode } from './error-codes.ts'

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

/** The target is a path as a rule, but a whole address from those who speak to a proxy. */
const treeTarget = /^(?:https?:\/\/[^/?#]*)?\/v1\/fs(?:[/?#]|$)/

const isInTree = (target: string): boolean => treeTarget.test(target)

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
  return { error: treeErrorCode(status), message, requestId }
}
