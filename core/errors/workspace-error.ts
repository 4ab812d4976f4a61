/** What a caller can do wrong, or be told to wait for. The server alone knows which status each one answers. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'too_many_requests'
  | 'unavailable'

export interface ErrorExtras {
  /** Fields that stand in the answer's body beside the message, such as `block` and `blocks`. */
  body?: Record<string, unknown>
  /** Headers of the answer, such as `Retry-After`, `Allow` or `WWW-Authenticate`. */
  headers?: Record<string, string>
}

/**
 * A refusal whose message is written for the caller: what was wrong, and what to do instead.
 * Everything else that is thrown is a fault of ours, of which a caller learns the request id alone.
 */
export class WorkspaceError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.name = 'WorkspaceError'
    this.code = code
    this.extras = extras
  }
}
