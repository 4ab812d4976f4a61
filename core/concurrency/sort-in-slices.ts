import { TimeSlice } from '../../data/scheduling/time-slice.ts'

const runLength = 1000

type Compare<T> = (a: T, b: T) => number

/** Yields to requests in between if there are many items. */
export async function sortInSlices<T>(items: readonly T[], compare: Compare<T>): Promise<T[]> {
  if (items.length <= runLength) return items.toSorted(compare)
  const slice = new TimeSlice()
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += runLength) {
    while (slice.isOver) await slice.pause()
    runs.push(items.slice(start, start + runLength).sort(compare))
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      const [left, right] = [runs[index]!, runs[index + 1]]
      merged.push(right ? await merge(left, right, compare, slice) : left)
    }
    runs = merged
  }
  return runs[0]!
}

async function merge<T>(left: T[], right: T[], compare: Compare<T>, slice: TimeSlice): Promise<T[]> {
  const merged: T[] = []
  let leftIndex = 0
  let rightIndex = 0
  while (leftIndex < left.length && rightIndex < right.length) {
    if (merged.length % runLength === 0) while (slice.isOver) await slice.pause()
    merged.push(
      compare(left[leftIndex]!, right[rightIndex]!) <= 0 ? left[leftIndex++]! : right[rightIndex++]!,
    )
  }
  for (; leftIndex < left.length; leftIndex++) merged.push(left[leftIndex]!)
  for (; rightIndex < right.length; rightIndex++) merged.push(right[rightIndex]!)
  return merged
}
