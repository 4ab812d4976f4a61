const maxLength = 40

/** Finds another spelling, a prefix (`thread` for `threadId`), or a name with a few typing errors. */
export function suggestName(input: string, known: readonly string[]): string | null {
  if (input.length > maxLength) return null
  const name = normalize(input)
  let closest: string | null = null
  let minDistance = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const distance = distanceOf(name, normalize(candidate))
    if (distance < minDistance) {
      closest = candidate
      minDistance = distance
    }
  }
  return closest
}

const normalize = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

function distanceOf(one: string, other: string): number {
  if (one === other) return 0
  const shorter = Math.min(one.length, other.length)
  if (shorter >= 3 && (one.startsWith(other) || other.startsWith(one))) return 1
  const distance = editDistance(one, other)
  return distance <= Math.max(1, Math.floor(Math.max(one.length, other.length) / 3)) && distance < shorter
    ? distance
    : Number.POSITIVE_INFINITY
}

function editDistance(one: string, other: string): number {
  let secondLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      let steps = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      const isSwap =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwap) steps = Math.min(steps, secondLast[column - 2]! + 1)
      current.push(steps)
    }
    secondLast = last
    last = current
  }
  return last[other.length]!
}
