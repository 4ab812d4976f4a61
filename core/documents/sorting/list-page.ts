import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { firstIndex, type ListOrder, type ListPosition } from './list-order.ts'

export interface PageRequest {
  /** Capped at `maxPageRows`; default `defaultPageRows`. */
  limit?: number
  cursor?: string
}

const defaultPageRows = 100
const maxPageRows = 1000

/** @param list a name, which its cursors contain @throws WorkspaceError `bad_request` for another cursor */
export function cutPage(
  sorted: readonly DocumentRecord[],
  { list, order, isShown }: { list: string; order: ListOrder; isShown: (record: DocumentRecord) => boolean },
  { limit = defaultPageRows, cursor }: PageRequest,
): { records: DocumentRecord[]; nextCursor: string | null } {
  const position = cursor === undefined ? null : parseCursor(cursor, list)
  const count = Math.min(limit, maxPageRows)
  const records: DocumentRecord[] = []
  const start =
    position === null ? 0 : firstIndex(sorted.length, (index) => order.isAfter(sorted[index]!, position))
  for (let index = start; index < sorted.length && records.length <= count; index++) {
    const record = sorted[index]!
    if (isShown(record)) records.push(record)
  }
  if (records.length <= count) return { records, nextCursor: null }
  records.length = count
  return { records, nextCursor: cursorOf(list, order.positionOf(records.at(-1)!)) }
}

const cursorOf = (list: string, { key, tie }: ListPosition): string =>
  Buffer.from(JSON.stringify([list, key, tie])).toString('base64url')

function parseCursor(cursor: string, list: string): ListPosition {
  const parts = partsOf(cursor)
  if (Array.isArray(parts) && parts.length === 3) {
    const [cursorList, key, tie] = parts
    if (cursorList === list && isKey(key) && isKey(tie)) return { key, tie }
  }
  throw new WorkspaceError(
    'bad_request',
    'The cursor does not belong to this list. Send nextCursor of the previous page, or leave it out to start.',
  )
}

function partsOf(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}

const isKey = (value: unknown): value is number | string =>
  typeof value === 'number' || typeof value === 'string'
