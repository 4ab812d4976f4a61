import { type Hunk, hunksBetween } from './hunks.ts'

interface Merged {
  text: string
  /** In how many places both have changed the same lines, or such as touch. There the text is mine. */
  conflicts: number
}

/**
 * Puts the changes of two people to one text together. Line ends are `\n`.
 * @param base what both began with
 */
export function merge(base: string, mine: string, theirs: string): Merged {
  const lines = base.split('\n')
  const sides = {
    mine: hunksBetween(lines, mine.split('\n')),
    theirs: hunksBetween(lines, theirs.split('\n')),
  }
  const merged: string[] = []
  let conflicts = 0
  let at = 0
  for (const place of placesOf(sides)) {
    merged.push(...lines.slice(at, place.from))
    const [own, other] = [shown(lines, place, place.mine), shown(lines, place, place.theirs)]
    if (place.mine.length === 0) merged.push(...other)
    else {
      merged.push(...own)
      const isSame = own.length === other.length && own.every((line, index) => line === other[index])
      if (place.theirs.length > 0 && !isSame) conflicts++
    }
    at = place.to
  }
  merged.push(...lines.slice(at))
  return { text: merged.join('\n'), conflicts }
}

interface Place {
  from: number
  to: number
  mine: Hunk[]
  theirs: Hunk[]
}

/** Changes that overlap or touch are one place. */
function placesOf(sides: { mine: Hunk[]; theirs: Hunk[] }): Place[] {
  const all = [
    ...sides.mine.map((hunk) => ({ side: 'mine' as const, hunk })),
    ...sides.theirs.map((hunk) => ({ side: 'theirs' as const, hunk })),
  ].sort((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to)
  const places: Place[] = []
  for (const { side, hunk } of all) {
    let place = places.at(-1)
    if (!place || hunk.from > place.to) {
      place = { from: hunk.from, to: hunk.to, mine: [], theirs: [] }
      places.push(place)
    }
    place.to = Math.max(place.to, hunk.to)
    place[side].push(hunk)
  }
  return places
}

function shown(base: string[], { from, to }: Place, hunks: Hunk[]): string[] {
  const lines: string[] = []
  let at = from
  for (const hunk of hunks) {
    lines.push(...base.slice(at, hunk.from), ...hunk.lines)
    at = hunk.to
  }
  return [...lines, ...base.slice(at, to)]
}
