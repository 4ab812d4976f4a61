import { TimeSlice } from '../../../data/time-slice.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'

/** Of a page's last row. A document that is edited moves to the start of the list; no other document moves. */
export interface ListPosition {
  timeMs: number
  id: string
}

export const cursorOf = ({ timeMs, id }: ListPosition): string => `${timeMs}-${id}`

/** @param isInList whether the document is, or was, in the list @throws WorkspaceError `bad_request` */
export function parseCursor(cursor: string, isInList: (id: string) => boolean): ListPosition {
  const [, timeMs, id] = /^(\d{1,16})-(doc_[0-9a-z]{26})$/.exec(cursor) ?? []
  if (id !== undefined && isInList(id)) return { timeMs: Number(timeMs), id }
  throw new WorkspaceError(
    'bad_request',
    'The cursor does not belong to this list. Send nextCursor of the previous page, or leave it out to start.',
  )
}

/** As sorting and slicing would, in slices of a few milliseconds. */
export async function firstInOrder<T>(
  items: readonly T[],
  count: number,
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  const slice = new TimeSlice()
  let first: T[] = []
  let last: T | undefined
  for (const [index, item] of items.entries()) {
    if (index % 256 === 255) while (slice.isOver) await slice.pause()
    if (last !== undefined && compare(last, item) <= 0) continue
    first.push(item)
    if (first.length < 2 * count) continue
    first = first.sort(compare).slice(0, count)
    last = first.at(-1)
  }
  return first.sort(compare).slice(0, count)
}
