import type { NextStep } from './next-step.ts'

/** `invalid` is content that breaks a rule. The server maps codes to statuses. */
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
  fields?: Record<string, unknown>
  retryAfterMs?: number
  next?: NextStep
}

/** A refusal: the message says what was wrong and what to do instead. Other exceptions are bugs. */
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
