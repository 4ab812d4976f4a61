import { type Hunk, hunksBetween } from './hunks.ts'

interface Merged {
  text: string
  /** How often both changed the same or adjacent lines. There the text is mine. */
  conflicts: number
}

/** Merges two changes of `base`. Line ends must be `\n`. */
export function merge(base: string, mine: string, theirs: string): Merged {
  const lines = base.split('\n')
  const sides = {
    mine: hunksBetween(lines, mine.split('\n')),
    theirs: hunksBetween(lines, theirs.split('\n')),
  }
  const merged: string[] = []
  let conflicts = 0
  let at = 0
  for (const group of groupsOf(sides)) {
    merged.push(...lines.slice(at, group.from))
    const [own, other] = [shown(lines, group, group.mine), shown(lines, group, group.theirs)]
    if (group.mine.length === 0) merged.push(...other)
    else {
      merged.push(...own)
      const isSame = own.length === other.length && own.every((line, index) => line === other[index])
      if (group.theirs.length > 0 && !isSame) conflicts++
    }
    at = group.to
  }
  merged.push(...lines.slice(at))
  return { text: merged.join('\n'), conflicts }
}

interface OverlappingHunks {
  from: number
  to: number
  mine: Hunk[]
  theirs: Hunk[]
}

function groupsOf(sides: { mine: Hunk[]; theirs: Hunk[] }): OverlappingHunks[] {
  const all = [
    ...sides.mine.map((hunk) => ({ side: 'mine' as const, hunk })),
    ...sides.theirs.map((hunk) => ({ side: 'theirs' as const, hunk })),
  ].sort((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to)
  const groups: OverlappingHunks[] = []
  for (const { side, hunk } of all) {
    let group = groups.at(-1)
    if (!group || hunk.from > group.to) {
      group = { from: hunk.from, to: hunk.to, mine: [], theirs: [] }
      groups.push(group)
    }
    group.to = Math.max(group.to, hunk.to)
    group[side].push(hunk)
  }
  return groups
}

function shown(base: string[], { from, to }: OverlappingHunks, hunks: Hunk[]): string[] {
  const lines: string[] = []
  let at = from
  for (const hunk of hunks) {
    lines.push(...base.slice(at, hunk.from), ...hunk.lines)
    at = hunk.to
  }
  return [...lines, ...base.slice(at, to)]
}
