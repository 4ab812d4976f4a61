import { TimeSlice } from '../../data/time-slice.ts'

const maxAtOnce = 200

/** Maps items; for many, requests are served in between. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  if (items.length <= maxAtOnce) return items.map(map)
  const slice = new TimeSlice()
  const mapped: R[] = []
  for (const item of items) {
    while (slice.isOver) await slice.pause()
    mapped.push(map(item))
  }
  return mapped
}
