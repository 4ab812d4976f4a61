import type { ErrorCode } from '../core/errors/workspace-error.ts'

/** `invalid` becomes `unprocessable` or `bad_request`, depending on the request's target. */
export type KnownCode = Exclude<ErrorCode, 'invalid'> | 'unprocessable'

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

const otherCodes = [
  'request_timeout',
  'headers_too_large',
  'range_not_satisfiable',
  'internal_error',
] as const

export type ResponseCode = KnownCode | (typeof otherCodes)[number]

export const responseCodes = [...(Object.keys(statusFor) as KnownCode[]), ...otherCodes]

export const treeErrorCodes = [
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'unprocessable',
  'bad_request',
] as const

const treeCodes = new Map<number, (typeof treeErrorCodes)[number]>([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [422, 'unprocessable'],
])

export const treeErrorCode = (status: number): (typeof treeErrorCodes)[number] =>
  treeCodes.get(status) ?? 'bad_request'
