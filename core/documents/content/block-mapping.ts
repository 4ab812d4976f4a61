import { type Analysis, maxRebound, type ParsedContent, storedBlocks } from '../../markdown/index.ts'

type BlockChange = Pick<Analysis, 'digest' | 'rebinding'>

/** The block that a member follows after a write; null if none. @param names current names by member id */
export function mapBlock(
  block: string,
  { digest, rebinding }: BlockChange,
  names: Record<string, string>,
): string | null {
  if (Object.hasOwn(rebinding, block)) return rebinding[block]!
  if (digest.plain !== null) return null
  const blocks = storedBlocks(digest, names)
  // If a file has too many blocks to store their ids, a block that is not reported is unchanged.
  const hasStayed = blocks
    ? blocks.some(({ id }) => id === block)
    : Object.keys(rebinding).length < maxRebound
  return hasStayed ? block : null
}

/** Several if it contains several; none if it became part of a title. @param block as spelled by the caller */
export function writtenBlockIds(
  block: string,
  before: ParsedContent,
  written: BlockChange,
  names: Record<string, string>,
): string[] {
  const [idsBefore, idsAfter] = [storedIds(before, names), storedIds(written.digest, names)]
  const place = idsBefore.indexOf(block.toLowerCase())
  if (place === -1) {
    // If a file has too many blocks to store their ids, only its replacement is known.
    const partner = writtenBlockId(block, before, written, names)
    return partner === null ? [] : [partner]
  }
  let head = 0
  while (head < place && isSame(idsBefore[head], idsAfter[head])) head++
  const maxCommonSuffix = Math.min(idsBefore.length - place - 1, idsAfter.length - head)
  let suffixLength = 0
  while (
    suffixLength < maxCommonSuffix &&
    isSame(idsBefore.at(-1 - suffixLength), idsAfter.at(-1 - suffixLength))
  )
    suffixLength++
  return idsAfter.slice(head, idsAfter.length - suffixLength)
}

/** The number after the dot distinguishes equal blocks, and changes when another one changes. */
const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one?.split('.', 1)[0] === other?.split('.', 1)[0]

const storedIds = (digest: ParsedContent, names: Record<string, string>): string[] =>
  storedBlocks(digest, names)?.map(({ id }) => id) ?? []

/** The block's counterpart, or, if its type or id changed, the block in its place. @param block as sent */
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
