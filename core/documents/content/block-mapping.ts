import { type Analysis, maxRebound, type ParsedContent, storedBlocks } from '../../markdown/index.ts'

/** What a write did to the blocks. */
type BlockChange = Pick<Analysis, 'digest' | 'rebinding'>

/**
 * Where somebody is after a write who was at this block before it; null where it has no partner.
 * @param names present names by member id
 */
export function mapBlock(
  block: string,
  { digest, rebinding }: BlockChange,
  names: Record<string, string>,
): string | null {
  if (Object.hasOwn(rebinding, block)) return rebinding[block]!
  if (digest.plain !== null) return null
  const blocks = storedBlocks(digest, names)
  // Of a file with too many blocks to keep their ids, a block of which nothing is told has stayed.
  const hasStayed = blocks
    ? blocks.some(({ id }) => id === block)
    : Object.keys(rebinding).length < maxRebound
  return hasStayed ? block : null
}

/**
 * The ids of what stands where one block was written: several where its text holds several, none where it became a part
 * of what no block is, such as the title. What it was joined with counts as well.
 * @param block as the caller spelled it
 */
export function writtenBlockIds(
  block: string,
  before: ParsedContent,
  written: BlockChange,
  names: Record<string, string>,
): string[] {
  const [idsBefore, idsAfter] = [storedIds(before, names), storedIds(written.digest, names)]
  const place = idsBefore.indexOf(block.toLowerCase())
  if (place === -1) {
    // Of a file with too many blocks to keep their ids the one is known that took its place.
    const partner = writtenBlockId(block, before, written, names)
    return partner === null ? [] : [partner]
  }
  let head = 0
  while (head < place && isSame(idsBefore[head], idsAfter[head])) head++
  const maxCommonSuffix = Math.min(idsBefore.length - place - 1, idsAfter.length - head)
  let behind = 0
  while (behind < maxCommonSuffix && isSame(idsBefore.at(-1 - behind), idsAfter.at(-1 - behind))) behind++
  return idsAfter.slice(head, idsAfter.length - behind)
}

/** Of equal blocks the number behind the dot says which of them it is, and can change with another one. */
const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one?.split('.', 1)[0] === other?.split('.', 1)[0]

const storedIds = (digest: ParsedContent, names: Record<string, string>): string[] =>
  storedBlocks(digest, names)?.map(({ id }) => id) ?? []

/**
 * The id of a block that was written by itself: its partner's, or where it has none (it became a block of another type),
 * or goes by its old id no more than by name (it was one of several equal ones), that of what stands in its place.
 * @param block as the caller spelled it
 */
export function writtenBlockId(
  block: string,
  before: ParsedContent,
  written: BlockChange,
  names: Record<string, string>,
): string | null {
  const id = block.toLowerCase()
  const partner = written.rebinding[id]
  if (partner) return partner
  const [idsBefore, idsAfter] = [storedIds(before, names), storedIds(written.digest, names)]
  const place = idsBefore.indexOf(id)
  const isPlaceKept = idsBefore.slice(0, place).every((other, at) => other === idsAfter[at])
  return (isPlaceKept && idsAfter[place]) || null
}
