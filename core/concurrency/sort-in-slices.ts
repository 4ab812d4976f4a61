import { TimeSlice } from '../../data/scheduling/time-slice.ts'

const stepLength = 1000

type Compare<T> = (a: T, b: T) => number

/** Yields to requests in between if there are many items. */
export async function sortInSlices<T>(items: readonly T[], compare: Compare<T>): Promise<T[]> {
  if (items.length <= stepLength) return items.toSorted(compare)
  const slice = new TimeSlice()
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += stepLength) {
    while (slice.isOver) await slice.pause()
    runs.push(items.slice(start, start + stepLength).sort(compare))
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      const [one, other] = [runs[index]!, runs[index + 1]]
      merged.push(other ? await merge(one, other, compare, slice) : one)
    }
    runs = merged
  }
  return runs[0]!
}

async function merge<T>(one: T[], other: T[], compare: Compare<T>, slice: TimeSlice): Promise<T[]> {
  const merged: T[] = []
  let at = 0
  let atOther = 0
  while (at < one.length && atOther < other.length) {
    if (merged.length % stepLength === 0) while (slice.isOver) await slice.pause()
    merged.push(compare(one[at]!, other[atOther]!) <= 0 ? one[at++]! : other[atOther++]!)
  }
  for (; at < one.length; at++) merged.push(one[at]!)
  for (; atOther < other.length; atOther++) merged.push(other[atOther]!)
  return merged
}
