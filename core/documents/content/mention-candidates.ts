import type { MentionCandidate, ParsedContent } from '../../markdown/index.ts'
import type { MemberStore } from '../../members/member-store.ts'

const at = '@'.charCodeAt(0)

/** Returns whom a bare `@Name` can refer to, in order: mentioned before, active, former names in the file. */
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
  const formerMentions = (before?.mentions ?? []).filter(({ id }) => !broadcastName(id))
  return [...mentionedBefore, ...active, ...formerMentions.map(({ id, name }) => ({ id, name }))]
}

/** A mention of `@here` is stored with the id `__here__`. */
const broadcastName = (id: string): string | undefined => /^__(here|channel|everyone)__$/.exec(id)?.[1]
