import { type ErrorExtras, WorkspaceError } from '../../core/errors.ts'
import type { Context, Middleware } from '../context.ts'
import { type AnswerCode, errorBody, statusFor } from '../error-answer.ts'
import type { Log } from '../log.ts'

interface Failure {
  status: number
  code: AnswerCode
  message: string
  extras: ErrorExtras
}

/** What SQLite, the disk and a quota say when there is no room. */
const noRoom = new Set<unknown>(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])

const isNoRoom = (error: unknown) =>
  error instanceof Error &&
  (noRoom.has('code' in error && error.code) || noRoom.has('errno' in error && error.errno))

function failureOf(error: unknown, requestId: string): Failure {
  if (error instanceof WorkspaceError) {
    const { code, message, extras } = error
    return { status: statusFor[code], code, message, extras }
  }
  if (isNoRoom(error)) {
    const message = "The server's disk is full. Nothing was changed; try again when there is room."
    return { status: 503, code: 'unavailable', message, extras: {} }
  }
  const message = `Something went wrong on the server's side. Its log says more under ${requestId}.`
  return { status: 500, code: 'internal_error', message, extras: {} }
}

/**
 * The one place where a failure becomes an answer (`interface.md`, Errors). A refusal is told as it is worded;
 * of a fault of ours the caller learns the request id, and the log the rest.
 * @param showPage answers with a page where a person asks for one; false where it did not
 */
export const errors =
  (
    log: Log,
    showPage: (
      ctx: Context,
      failure: { status: number; message: string; requestId: string },
    ) => boolean = () => false,
  ): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { requestId } = ctx.state
      const { extras, ...failure } = failureOf(error, requestId)
      const { status, message } = failure
      if (!(error instanceof WorkspaceError)) log.error({ err: error, requestId }, message)
      else if (status >= 500) log.warn({ requestId }, message)
      ctx.set(extras.headers ?? {})
      if (showPage(ctx, { status, message, requestId })) return
      ctx.status = status
      ctx.body = { ...errorBody({ target: ctx.req.url!, requestId, ...failure }), ...extras.body }
    }
  }
