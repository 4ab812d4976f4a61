import type { PageRequest } from '../core/documents/reading/list-page.ts'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Context } from './context.ts'
import { queryText } from './request-fields.ts'

export const pageParameters = ['limit', 'cursor'] as const

/** The page of a list of documents that is requested; undefined for the whole list. */
export function requestedPage(ctx: Context): PageRequest | undefined {
  const limit = limitOf(ctx)
  const cursor = queryText(ctx, 'cursor')
  if (limit === undefined && cursor === undefined) return undefined
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) }
}

/** @throws WorkspaceError `bad_request` if it is not a whole number above zero */
export function limitOf(ctx: Context): number | undefined {
  const limit = queryText(ctx, 'limit')
  if (limit === undefined) return undefined
  if (/^\d+$/.test(limit) && Number(limit) > 0) return Number(limit)
  throw new WorkspaceError('bad_request', '?limit= must be a whole number from 1 to 1000.')
}
