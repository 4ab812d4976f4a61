import { z } from 'zod'
import type { PageRequest } from '../core/documents/sorting/list-page.ts'
import type { Context } from './context.ts'
import { count } from './input-types.ts'
import { readQuery } from './request-fields.ts'

export const cursor = z.string().describe('Where the page before ended: its nextCursor').optional()

export const pageParameters = { limit: count(1000).optional(), cursor }

/** The page of a list of documents that is requested; undefined for the whole list. */
export function requestedPage(ctx: Context): PageRequest | undefined {
  const page = readQuery(ctx, pageParameters)
  return Object.keys(page).length === 0 ? undefined : page
}
