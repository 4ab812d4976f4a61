import { TimeSlice } from '../../data/scheduling/time-slice.ts'

const maxUnslicedLength = 200

/** Yields to requests in between if there are many items. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  if (items.length <= maxUnslicedLength) return items.map(map)
  const slice = new TimeSlice()
  const mapped: R[] = []
  for (const item of items) {
    while (slice.isOver) await slice.pause()
    mapped.push(map(item))
  }
  return mapped
}

/** Groups of `size`, as many in a turn of the event loop as its slice allows. */
export async function* groupsInSlices<T>(items: Iterable<T>, size: number): AsyncGenerator<T[]> {
  const slice = new TimeSlice()
  let group: T[] = []
  for (const item of items) {
    while (group.length === 0 && slice.isOver) await slice.pause()
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
