import { WorkspaceError } from '../../core/errors.ts'
import type { Context } from '../context.ts'

/** A parameter of the query; undefined where it is missing. @throws WorkspaceError `bad_request` where it stands twice */
export function queryText(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name]
  if (!Array.isArray(value)) return value
  throw new WorkspaceError('bad_request', `?${name}= may be given once.`)
}

/** @throws WorkspaceError `unprocessable` where the field is missing or no text: the tree's answer to what is invalid */
export function textField(fields: Record<string, unknown>, name: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw new WorkspaceError('unprocessable', `The body must hold the field ${name}, a text.`)
}

/** @throws WorkspaceError `unprocessable` where the field is there and no whole number */
export function integerField(fields: Record<string, unknown>, name: string): number | undefined {
  const value = fields[name]
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))) return value
  throw new WorkspaceError('unprocessable', `The field ${name} must be a whole number.`)
}
