import type { NextStep } from './next-step.ts'

/**
 * What a caller can do wrong, or be told to wait for. The server alone knows which status each one answers. `invalid` is
 * content that breaks a rule, wherever it was sent to.
 */
export type ErrorCode =
  | 'bad_request'
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'unavailable'

export interface ErrorExtras {
  /** What a program reads beside the message, such as `block` and `blocks`. */
  fields?: Record<string, unknown>
  /** In how many milliseconds the same may succeed. */
  retryAfterMs?: number
  /** What to do instead, where that takes a request: the message ends before it. */
  next?: NextStep
}

/**
 * A refusal whose message is written for the caller: what was wrong, and what to do instead.
 * Everything else that is thrown is a fault of ours, of which a caller learns the request id alone.
 */
export class WorkspaceError extends Error {
  readonly code: ErrorCode
  readonly fields: Record<string, unknown>
  readonly retryAfterMs: number | undefined
  readonly next: NextStep | undefined

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.name = 'WorkspaceError'
    this.code = code
    this.fields = extras.fields ?? {}
    this.retryAfterMs = extras.retryAfterMs
    this.next = extras.next
  }
}
