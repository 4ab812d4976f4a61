import { findMentions, shiftMention } from './mentions.ts'
import { NameIndex } from './names.ts'
import type { Parsed } from './parse.ts'
import { parseAndCache } from './parse-cache.ts'
import type { Draft } from './parse-input.ts'
import { knownMentions } from './previous-version.ts'
import { findReferences } from './references.ts'
import type { Analysis, FoundReference, MentionSpan } from './types.ts'

/** A parsed body, and what it links to in the workspace. */
type Linking = Parsed & Pick<Analysis, 'references'>

/** @throws RangeError when it nests too deep */
export function parseWithReferences(body: string): Linking {
  let references: FoundReference[] = []
  const parsed = parseAndCache(body, (root, source) => {
    references = findReferences(root, source)
  })
  return { ...parsed, references }
}

/**
 * The same of a draft, with the mentions in it.
 * @throws RangeError when it nests too deep
 */
export function parseDraft(draft: Draft): Linking & { mentions: MentionSpan[] } {
  const { body, people, names, before, canonicalIn } = draft
  let mentions: MentionSpan[] = []
  let references: FoundReference[] = []
  const parsed = parseAndCache(body, (root, source) => {
    references = findReferences(root, source)
    if (!body.includes('@')) return
    const base = source.length - body.length
    const [from, to] = canonicalIn ?? [0, 0]
    const remembered =
      canonicalIn && before?.digest.plain === null ? [...knownMentions(body, before, names)] : []
    const meant = remembered.filter(([at]) => at >= from && at < to)
    const known = new Map(meant.map(([at, mention]) => [at + base, mention]))
    mentions = findMentions(root, source, { index: new NameIndex(people), known }).map((found) =>
      shiftMention(found, -base),
    )
  })
  return { ...parsed, mentions, references }
}
