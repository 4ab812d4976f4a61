import { type BlockFingerprint, blockIds } from './blocks.ts'
import { addedHeading, renderBody } from './envelope.ts'
import type { KnownMention } from './mentions.ts'
import { parseBlocks } from './parse-blocks.ts'
import { isTitleLevel, type ParsedBlock } from './parsed-block.ts'
import { storedBlocks } from './stored-blocks.ts'
import type { ParsedContent, PreviousVersion } from './types.ts'

export function displayedBody(
  { stored, digest }: Pick<PreviousVersion, 'stored' | 'digest'>,
  names: Record<string, string>,
): Buffer {
  return Buffer.concat(renderBody(stored, digest, names).parts)
}

/** Returns the author's own blocks as displayed; null for plain text. @throws RangeError if too deep */
export function previousOwnBlocks(
  before: PreviousVersion,
  names: Record<string, string>,
): BlockFingerprint[] | null {
  const { digest } = before
  if (digest.plain !== null) return null
  const stored = storedBlocks(digest, names)
  if (stored) return stored
  const displayed = displayedBody(before, names).toString()
  return ownBlocks(displayed, parseBlocks(displayed), digest, before.title)
}

/** Omits the title's heading. Occurrences are counted over the whole read, including an added heading. */
export function ownBlocks(
  body: string,
  blocks: ParsedBlock[],
  digest: Pick<ParsedContent, 'titleSource'>,
  title: string,
): BlockFingerprint[] {
  // An empty heading below an added title could equal it.
  const isBelowTitle = digest.titleSource !== 'heading' && blocks.some(isTitleLevel)
  const displayed = isBelowTitle ? parseBlocks(addedHeading(digest, title, body.length) + body) : blocks
  const heading = displayed.findIndex(isTitleLevel)
  const ids = blockIds(displayed.map(({ contentId }) => contentId))
  return displayed.flatMap(({ type }, index) => (index === heading ? [] : [{ id: ids[index]!, type }]))
}

/** Mentions on unchanged lines are stored as before, even if a name is ambiguous. By position of the `@`. */
export function knownMentions(
  text: string,
  before: PreviousVersion,
  names: Record<string, string>,
): Map<number, KnownMention> {
  const known = new Map<number, KnownMention>()
  const lines = linesWithMentions(before, names)
  if (lines.size === 0) return known
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    for (const { column, mention } of lines.get(line) ?? []) known.set(index + column, mention)
  }
  return known
}

interface PlacedMention {
  column: number
  mention: KnownMention
}

function linesWithMentions(
  before: PreviousVersion,
  names: Record<string, string>,
): Map<string, PlacedMention[]> {
  const lines = new Map<string, PlacedMention[]>()
  const canonical = before.digest.mentions.filter(({ form }) => form === 'canonical')
  if (canonical.length === 0) return lines
  // Every second part is a displayed mention; a body with mentions is UTF-8.
  const { parts } = renderBody(before.stored, before.digest, names)
  let line = ''
  let placed: PlacedMention[] = []
  for (const [index, part] of parts.entries()) {
    const text = Buffer.from(part.buffer, part.byteOffset, part.length).toString()
    if (index % 2 === 1) {
      const { id, name } = canonical[(index - 1) / 2]!
      placed.push({ column: line.length, mention: { id, name, shown: text.slice(1) } })
      line += text
      continue
    }
    const [first, ...others] = text.split(/[\r\n]/)
    line += first
    for (const next of others) {
      if (placed.length > 0 && !lines.has(line)) lines.set(line, placed)
      line = next
      placed = []
    }
  }
  if (placed.length > 0 && !lines.has(line)) lines.set(line, placed)
  return lines
}
