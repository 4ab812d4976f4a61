import { type Analysis, maxRebound, type ParsedContent, storedBlocks } from '../../markdown/index.ts'

type BlockChange = Pick<Analysis, 'digest' | 'rebinding'>

/** Returns what a block's id became in a write; null if the block is gone. @param names by member id */
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

/** Returns the ids of the blocks that a block write produced; none if its text became part of a title. */
export function writtenBlockIds(
  block: string,
  before: ParsedContent,
  written: BlockChange,
  names: Record<string, string>,
): string[] {
  const [idsBefore, idsAfter] = [storedIds(before, names), storedIds(written.digest, names)]
  const index = idsBefore.indexOf(block.toLowerCase())
  if (index === -1) {
    const counterpart = writtenBlockId(block, before, written, names)
    return counterpart === null ? [] : [counterpart]
  }
  let prefixLength = 0
  while (prefixLength < index && isSame(idsBefore[prefixLength], idsAfter[prefixLength])) prefixLength++
  const maxCommonSuffix = Math.min(idsBefore.length - index - 1, idsAfter.length - prefixLength)
  let suffixLength = 0
  while (
    suffixLength < maxCommonSuffix &&
    isSame(idsBefore.at(-1 - suffixLength), idsAfter.at(-1 - suffixLength))
  )
    suffixLength++
  return idsAfter.slice(prefixLength, idsAfter.length - suffixLength)
}

/** The number after the dot tells equal blocks apart, and changes when another one of them changes. */
const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one?.split('.', 1)[0] === other?.split('.', 1)[0]

const storedIds = (digest: ParsedContent, names: Record<string, string>): string[] =>
  storedBlocks(digest, names)?.map(({ id }) => id) ?? []

/** Returns a block's counterpart, or, if its type or id changed, the block now in its position. */
export function writtenBlockId(
  block: string,
  before: ParsedContent,
  written: BlockChange,
  names: Record<string, string>,
): string | null {
  const id = block.toLowerCase()
  const counterpart = written.rebinding[id]
  if (counterpart) return counterpart
  const [idsBefore, idsAfter] = [storedIds(before, names), storedIds(written.digest, names)]
  const index = idsBefore.indexOf(id)
  const isPositionKept = idsBefore.slice(0, index).every((other, at) => other === idsAfter[at])
  return (isPositionKept && idsAfter[index]) || null
}
