import { readUnavailableError, writeUnavailableError } from '../../core/errors/unavailable.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Context, Middleware } from '../context.ts'
import type { ResponseCode } from '../error-codes.ts'
import { codeAndStatus, errorBody, headersOf } from '../error-response.ts'
import type { Log } from '../log.ts'
import { messageOf, toolSentences } from '../next-steps.ts'
import { isToolRequest } from '../tool-requests.ts'

interface Failure {
  status: number
  code: ResponseCode
  message: string
  headers: Record<string, string>
  fields: Record<string, unknown>
}

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND'])

function failureOf(error: unknown, { req, state: { requestId } }: Context): Failure {
  if (error instanceof WorkspaceError) {
    const { code, fields } = error
    const message = messageOf(error, isToolRequest(req) ? toolSentences : {})
    return { ...codeAndStatus(code, req.url!), message, headers: headersOf(error), fields }
  }
  const message = `Internal error. See the server's log for ${requestId}.`
  return { status: 500, code: 'internal_error', message, headers: {}, fields: {} }
}

/**
 * The only place where an error becomes a response (`docs/interface.md#errors`).
 * @param showPage returns false unless it has shown the error as a page
 */
export const errorHandler =
  (
    log: Log,
    showPage: (
      ctx: Context,
      failure: { status: number; message: string; requestId: string },
    ) => boolean = () => false,
    reportError: (error: unknown) => void = () => {},
  ): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { requestId } = ctx.state
      const reported = readMethods.has(ctx.method)
        ? readUnavailableError(error)
        : writeUnavailableError(error)
      const { headers, fields, ...failure } = failureOf(reported, ctx)
      const { status, message } = failure
      if (!(error instanceof WorkspaceError)) reportError(error)
      if (!(error instanceof WorkspaceError)) log.error({ err: error, requestId }, message)
      else if (status >= 500) log.warn({ requestId }, message)
      ctx.set(headers)
      if (showPage(ctx, { status, message, requestId })) return
      ctx.status = status
      ctx.body = { ...errorBody({ target: ctx.req.url!, requestId, ...failure }), ...fields }
    }
  }
