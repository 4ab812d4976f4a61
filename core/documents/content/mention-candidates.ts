import type { MentionCandidate, ParsedContent } from '../../markdown/index.ts'
import type { MemberStore } from '../../members/member-store.ts'

const at = '@'.charCodeAt(0)

/**
 * Members whom a bare `@Name` can refer to: first those mentioned before, then active members, oldest first, then
 * former names in the file. Empty without an at sign.
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

/** `__here__` is parsed as `@here`. */
const broadcastName = (id: string): string | undefined => /^__(here|channel|everyone)__$/.exec(id)?.[1]
