import { type BlockFingerprint, blockIds } from './blocks.ts'
import { addedHeading, renderBody } from './envelope.ts'
import type { KnownMention } from './mentions.ts'
import { parseBlocks } from './parse-blocks.ts'
import { isTitleLevel, type ParsedBlock } from './parsed-block.ts'
import { storedBlocks } from './stored-blocks.ts'
import type { ParsedContent, PreviousVersion } from './types.ts'

/** The body of a file as a read shows it, the heading that a read adds left out. */
export function displayedBody(
  { stored, digest }: Pick<PreviousVersion, 'stored' | 'digest'>,
  names: Record<string, string>,
): Buffer {
  return Buffer.concat(renderBody(stored, digest, names).parts)
}

/**
 * The own (writable) blocks that a read of the file shows now; null for plain text.
 * @throws RangeError when the file nests too deep, which a file that is not plain does not
 */
export function previousOwnBlocks(
  before: PreviousVersion,
  names: Record<string, string>,
): BlockFingerprint[] | null {
  const { digest } = before
  if (digest.plain !== null) return null
  const kept = storedBlocks(digest, names)
  if (kept) return kept
  const shown = displayedBody(before, names).toString()
  return ownBlocks(shown, parseBlocks(shown), digest, before.title)
}

/**
 * The blocks of a body as a read shows it, without the title's heading. Occurrences are counted over all that the
 * read shows, the heading that it adds included.
 * @param blocks of the body
 */
export function ownBlocks(
  body: string,
  blocks: ParsedBlock[],
  digest: Pick<ParsedContent, 'titleSource'>,
  title: string,
): BlockFingerprint[] {
  // Headings that say nothing stand below the title which a read adds, and one of them could be its equal.
  const isBelowTitle = digest.titleSource !== 'heading' && blocks.some(isTitleLevel)
  const shown = isBelowTitle ? parseBlocks(addedHeading(digest, title, body.length) + body) : blocks
  const heading = shown.findIndex(isTitleLevel)
  const ids = blockIds(shown.map(({ contentId }) => contentId))
  return shown.flatMap(({ type }, index) => (index === heading ? [] : [{ id: ids[index]!, type }]))
}

/**
 * Whom the mentions in a text are known to mean, because its line stands in the file as it was read: by the place of
 * the `@` in UTF-16 code units. So a line that came back as it was read is stored as it was, also where the name alone
 * would not tell (two of one name, or a script that writes no spaces).
 */
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
  // Every second part is a mention as it is shown; a body is UTF-8 where it has mentions.
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
