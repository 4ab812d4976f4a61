import { type Hunk, hunksBetween } from './hunks.ts'

interface MergeResult {
  text: string
  /** How often both changed the same or adjacent lines. There the text is the local one. */
  conflicts: number
}

/** Merges two changes of `base`. Line ends must be `\n`. */
export function merge(base: string, local: string, remote: string): MergeResult {
  const lines = base.split('\n')
  const sides = {
    local: hunksBetween(lines, local.split('\n')),
    remote: hunksBetween(lines, remote.split('\n')),
  }
  const merged: string[] = []
  let conflicts = 0
  let at = 0
  for (const group of groupsOf(sides)) {
    merged.push(...lines.slice(at, group.from))
    const [localLines, remoteLines] = [
      applyHunks(lines, group, group.local),
      applyHunks(lines, group, group.remote),
    ]
    if (group.local.length === 0) merged.push(...remoteLines)
    else {
      merged.push(...localLines)
      const isSame =
        localLines.length === remoteLines.length &&
        localLines.every((line, index) => line === remoteLines[index])
      if (group.remote.length > 0 && !isSame) conflicts++
    }
    at = group.to
  }
  merged.push(...lines.slice(at))
  return { text: merged.join('\n'), conflicts }
}

interface OverlappingHunks {
  from: number
  to: number
  local: Hunk[]
  remote: Hunk[]
}

function groupsOf(sides: { local: Hunk[]; remote: Hunk[] }): OverlappingHunks[] {
  const all = [
    ...sides.local.map((hunk) => ({ side: 'local' as const, hunk })),
    ...sides.remote.map((hunk) => ({ side: 'remote' as const, hunk })),
  ].sort((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to)
  const groups: OverlappingHunks[] = []
  for (const { side, hunk } of all) {
    let group = groups.at(-1)
    if (!group || hunk.from > group.to) {
      group = { from: hunk.from, to: hunk.to, local: [], remote: [] }
      groups.push(group)
    }
    group.to = Math.max(group.to, hunk.to)
    group[side].push(hunk)
  }
  return groups
}

function applyHunks(base: string[], { from, to }: OverlappingHunks, hunks: Hunk[]): string[] {
  const lines: string[] = []
  let at = from
  for (const hunk of hunks) {
    lines.push(...base.slice(at, hunk.from), ...hunk.lines)
    at = hunk.to
  }
  return [...lines, ...base.slice(at, to)]
}
