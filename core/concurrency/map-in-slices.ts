import { TimeSlice } from '../../data/time-slice.ts'

/** So few items are done before anybody has waited. */
const maxAtOnce = 200

/** What `map` makes of each item; of many with requests answered in between. */
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
