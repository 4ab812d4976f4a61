import { type ErrorCode, type ErrorExtras, WorkspaceError } from '../core/errors/workspace-error.ts'
import { type KnownCode, type ResponseCode, statusFor, treeErrorCode } from './error-codes.ts'

const jsonTarget = /^(?:https?:\/\/[^/?#]*)?\/(?:api|v1(?!\/fs(?:[/?#]|$))|unreached)(?:[/?#]|$)/

/** Invalid input is 400 on JSON endpoints and 422 in the tree (`docs/interface.md#errors`). */
export function codeAndStatus(code: ErrorCode, target: string): { code: KnownCode; status: number } {
  const invalid = jsonTarget.test(target) ? 'bad_request' : 'unprocessable'
  const known = code === 'invalid' ? invalid : code
  return { code: known, status: statusFor[known] }
}

export class HttpError extends WorkspaceError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly headers: Record<string, string>,
    extras: ErrorExtras = {},
  ) {
    super(code, message, extras)
  }
}

/** @param allowed the methods that are possible, in the order in which they are named */
export const methodNotAllowed = (message: string, allowed: string): HttpError =>
  new HttpError('method_not_allowed', message, { Allow: allowed })

/** At least 1, since `Retry-After: 0` would mean no wait. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

export function headersOf(error: WorkspaceError): Record<string, string> {
  return {
    ...(error instanceof HttpError && error.headers),
    ...(error.retryAfterMs !== undefined && { 'Retry-After': String(wholeSeconds(error.retryAfterMs)) }),
  }
}

/** Clients of a proxy send a whole URL as the target. */
const treeTarget = /^(?:https?:\/\/[^/?#]*)?\/v1\/fs(?:[/?#]|$)/

const isInTree = (target: string): boolean => treeTarget.test(target)

export interface ErrorResponse {
  target: string
  status: number
  code: ResponseCode
  message: string
  requestId: string
}

/** Shapes the body for the target (`docs/interface.md#errors`). Outside `/v1/fs`, `code` is an extension. */
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
