import type { BlockFingerprint } from './blocks.ts'
import type { ParsedContent } from './types.ts'

/** More blocks than this are not stored, and computed on demand. */
const maxStoredBlocks = 5000

export function storeBlocks(own: BlockFingerprint[]): string | null {
  return own.length > maxStoredBlocks ? null : own.map(({ id, type }) => `${id}:${type}`).join(' ')
}

/** Returns null if none are stored, or if names have changed since. @param names by member id */
export function storedBlocks(
  digest: ParsedContent,
  names: Record<string, string>,
): BlockFingerprint[] | null {
  if (digest.blocks === null || !isDisplayedAsStored(digest, names)) return null
  if (digest.blocks === '') return []
  return digest.blocks.split(' ').map((block) => {
    const [id, type] = block.split(':')
    return { id: id!, type: type! }
  })
}

/** The current names of mentioned members, since other names change block ids. */
export function mentionedNames(
  mentions: ParsedContent['mentions'],
  names: Record<string, string>,
): Record<string, string> {
  const mentioned = mentions.filter(({ id, form }) => form === 'canonical' && Object.hasOwn(names, id))
  return Object.fromEntries(mentioned.map(({ id }) => [id, names[id]!]))
}

function isDisplayedAsStored(
  { mentions, blockNames }: ParsedContent,
  names: Record<string, string>,
): boolean {
  const current = mentionedNames(mentions, names)
  const ids = Object.keys(current)
  return ids.length === Object.keys(blockNames).length && ids.every((id) => current[id] === blockNames[id])
}
