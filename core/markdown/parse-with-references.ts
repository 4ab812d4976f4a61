import { findMentions } from './mentions.ts'
import { NameIndex } from './names.ts'
import { parseBlocks } from './parse-blocks.ts'
import type { ParseInput } from './parse-input.ts'
import type { ParsedBlock } from './parsed-block.ts'
import { knownMentions } from './previous-version.ts'
import { canHaveReferences, maxReferences } from './references.ts'
import type { Analysis, MentionSpan } from './types.ts'

export interface ParsedWithReferences extends Pick<Analysis, 'references'> {
  blocks: ParsedBlock[]
}

export function parseWithReferences(body: string): ParsedWithReferences {
  const blocks = parseBlocks(body)
  const references = canHaveReferences(body) ? blocks.flatMap((block) => block.references) : []
  return { blocks, references: references.slice(0, maxReferences) }
}

/** With the mentions of a file. @throws RangeError if it nests too deep */
export function parseInput(draft: ParseInput): ParsedWithReferences & { mentions: MentionSpan[] } {
  const linking = parseWithReferences(draft.body)
  return { ...linking, mentions: mentionsIn(draft, linking.blocks) }
}

function mentionsIn(
  { body, people, names, before, canonicalIn }: ParseInput,
  blocks: ParsedBlock[],
): MentionSpan[] {
  if (!body.includes('@')) return []
  const [from, to] = canonicalIn ?? [0, 0]
  const remembered =
    canonicalIn && before?.digest.plain === null ? [...knownMentions(body, before, names)] : []
  const known = new Map(remembered.filter(([at]) => at >= from && at < to))
  const texts = blocks.flatMap(({ mentionable }) => mentionable)
  return texts.length === 0 ? [] : findMentions(texts, body, { index: new NameIndex(people), known })
}
