import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { BlockSummary, ParsedContent } from '../../markdown/index.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { parseDigest } from '../model/stored-digest.ts'

const contextBlocks = 10

const maxRevisions = 20

/** Returns the blocks around the position that a block had in its newest revision, else the first ones. */
export function neighbouringBlocks(
  { revisions }: Pick<DocumentsDeps, 'revisions'>,
  record: DocumentRecord,
  block: string,
  blocks: readonly BlockSummary[],
): BlockSummary[] {
  const id = block.toLowerCase()
  const former = revisions
    .digests(record.id, maxRevisions)
    .map((digest) => idsIn(parseDigest(digest)))
    .find((ids) => ids.includes(id))
  const index = former ? formerIndex(former, former.indexOf(id), blocks) : 0
  const from = Math.max(0, Math.min(index - contextBlocks, blocks.length - 2 * contextBlocks))
  return blocks.slice(from, from + 2 * contextBlocks)
}

function formerIndex(former: readonly string[], at: number, blocks: readonly BlockSummary[]): number {
  const currentIndex = new Map(blocks.map(({ id }, index) => [id, index]))
  for (let distance = 1; distance < former.length; distance++) {
    const preceding = currentIndex.get(former[at - distance] ?? '')
    if (preceding !== undefined) return preceding + distance
    const following = currentIndex.get(former[at + distance] ?? '')
    if (following !== undefined) return Math.max(0, following - distance)
  }
  return Math.round((at / former.length) * blocks.length)
}

const idsIn = ({ blocks }: ParsedContent): string[] =>
  (blocks ?? '').split(' ').map((entry) => entry.split(':', 1)[0]!)
