import type { BlockFingerprint } from './blocks.ts'

export interface Alignment {
  /** Removed blocks with a counterpart; those without one are orphaned. */
  rebound: number
  orphaned: number
  /** The counterpart's id by former id, or null. At most `maxRebound`. */
  rebinding: Record<string, string | null>
}

export const maxRebound = 1000

/** Aligns by the longest common subsequence of ids, and pairs blocks of one type within each gap in order. */
export function align(before: BlockFingerprint[], after: BlockFingerprint[]): Alignment {
  const remaining = new Set(after.map(({ id }) => id))
  const alignment: Alignment = { rebound: 0, orphaned: 0, rebinding: {} }
  let reported = 0
  let [removedFrom, addedFrom] = [0, 0]
  for (const [removedTo, addedTo] of [
    ...commonSubsequence(before, after),
    [before.length, after.length] as const,
  ]) {
    const partners = idsByType(after.slice(addedFrom, addedTo))
    for (const { id, type } of before.slice(removedFrom, removedTo)) {
      const partner = partners.get(type)?.shift() ?? null
      if (partner === null) alignment.orphaned++
      else alignment.rebound++
      // A block that only moved keeps its id.
      if (remaining.has(id) || reported === maxRebound) continue
      alignment.rebinding[id] = partner
      reported++
    }
    removedFrom = removedTo + 1
    addedFrom = addedTo + 1
  }
  return alignment
}

function idsByType(blocks: BlockFingerprint[]): Map<string, string[]> {
  const ids = new Map<string, string[]>()
  for (const { id, type } of blocks) {
    const ofType = ids.get(type)
    if (ofType) ofType.push(id)
    else ids.set(type, [id])
  }
  return ids
}

/** With unique ids, this is a longest increasing subsequence of positions: patience sorting, in n log n. */
function commonSubsequence(
  before: BlockFingerprint[],
  after: BlockFingerprint[],
): [before: number, after: number][] {
  const indexAfter = new Map(after.map(({ id }, index) => [id, index]))
  interface Link {
    pair: [before: number, after: number]
    previous: Link | undefined
  }
  const tails: Link[] = []
  for (const [index, { id }] of before.entries()) {
    const match = indexAfter.get(id)
    if (match === undefined) continue
    let [low, high] = [0, tails.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (tails[middle]!.pair[1] < match) low = middle + 1
      else high = middle
    }
    tails[low] = { pair: [index, match], previous: tails[low - 1] }
  }
  const pairs: [before: number, after: number][] = []
  for (let link = tails.at(-1); link; link = link.previous) pairs.push(link.pair)
  return pairs.reverse()
}
