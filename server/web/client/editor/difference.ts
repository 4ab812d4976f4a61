import { diff } from '@codemirror/merge'
import { ChangeSet, type Text } from '@codemirror/state'

/** Longer it is not looked for the least difference: then it is coarse. */
const limits = { scanLimit: 2000, timeout: 200 }

/** The changes, letter by letter, that make one text the other. */
export function difference(before: Text, after: Text): ChangeSet {
  if (before.eq(after)) return ChangeSet.empty(before.length)
  const changes = diff(before.toString(), after.toString(), limits).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: after.slice(fromB, toB),
  }))
  return ChangeSet.of(changes, before.length)
}
