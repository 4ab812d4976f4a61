import { type Analysis, type Digest, keptBlocks, mostRebound } from '../markdown/index.ts'

/** What a write did to the blocks. */
type Written = Pick<Analysis, 'digest' | 'rebinding'>

/**
 * Where somebody is after a write who was at this block before it; null where it has no partner.
 * @param names present names by member id
 */
export function blockAfter(
  block: string,
  { digest, rebinding }: Written,
  names: Record<string, string>,
): string | null {
  if (Object.hasOwn(rebinding, block)) return rebinding[block]!
  if (digest.plain !== null) return null
  const blocks = keptBlocks(digest, names)
  // Of a file with too many blocks to keep their ids, a block of which nothing is told has stayed.
  const hasStayed = blocks
    ? blocks.some(({ id }) => id === block)
    : Object.keys(rebinding).length < mostRebound
  return hasStayed ? block : null
}

/**
 * The id of a block that was written by itself: its partner's, or where it has none (it became a block of another type),
 * or goes by its old id no more than by name (it was one of several equal ones), that of what stands in its place.
 * @param block as the caller spelled it
 */
export function blockWritten(
  block: string,
  before: Digest,
  written: Written,
  names: Record<string, string>,
): string | null {
  const id = block.toLowerCase()
  const partner = written.rebinding[id]
  if (partner) return partner
  const idsOf = (digest: Digest) => keptBlocks(digest, names)?.map((kept) => kept.id) ?? []
  const [idsBefore, idsAfter] = [idsOf(before), idsOf(written.digest)]
  const place = idsBefore.indexOf(id)
  const isPlaceKept = idsBefore.slice(0, place).every((other, at) => other === idsAfter[at])
  return (isPlaceKept && idsAfter[place]) || null
}
