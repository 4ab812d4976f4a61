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

export async function mapGroupsInSlices<T, R>(
  items: readonly T[],
  size: number,
  map: (group: readonly T[], index: number) => R,
): Promise<R[]> {
  const slice = new TimeSlice()
  const mapped: R[] = []
  for (let start = 0; start < items.length; start += size) {
    while (slice.isOver) await slice.pause()
    mapped.push(map(items.slice(start, start + size), mapped.length))
  }
  return mapped
}
