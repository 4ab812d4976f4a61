import type { MentionCandidate, ParsedContent } from '../../markdown/index.ts'
import type { MemberStore } from '../../members/member-store.ts'

const at = '@'.charCodeAt(0)

/**
 * Whom a bare `@Name` in a file can mean: those whom the file mentioned before, then the active members, oldest first,
 * then the names in the file of those who were renamed since: somebody may have read it before that.
 * A text without an at sign mentions nobody, and spares the list.
 */
export function mentionCandidates(
  members: MemberStore,
  bytes: Uint8Array,
  before: ParsedContent | null,
): MentionCandidate[] {
  if (!bytes.includes(at)) return []
  const names = members.names()
  const mentionedBefore = (before?.mentions ?? []).map(({ id, name }) => ({
    id,
    name: names[id] ?? broadcastName(id) ?? name,
  }))
  const active = members.active().map(({ id, name }) => ({ id, name }))
  const formerly = (before?.mentions ?? []).filter(({ id }) => !broadcastName(id))
  return [...mentionedBefore, ...active, ...formerly.map(({ id, name }) => ({ id, name }))]
}

/** `__here__` is read as `@here`. */
const broadcastName = (id: string): string | undefined => /^__(here|channel|everyone)__$/.exec(id)?.[1]
