import { extension, lookup } from 'mime-types'

const unknownType = 'application/octet-stream'

/** What a program sends that knows no better; curl calls every body a form. */
const genericTypes = new Set([unknownType, 'application/x-www-form-urlencoded', 'multipart/form-data'])

/** Nothing else than a type, and in ASCII: it stands in a header again. */
const bareType = /^[\w.+-]+\/[\w.+-]+$/

/**
 * The media type of a file, without parameters: by its name, and where that tells nothing the one that its sender
 * claimed, if there is such a type.
 */
export function mediaTypeOf(name: string, claimed: string | null = null): string {
  const byName = lookup(name)
  if (byName !== false) return byName
  const type = (claimed ?? '').replace(/;.*/s, '').trim().toLowerCase()
  const isKnown = bareType.test(type) && extension(type) !== false
  return isKnown && !genericTypes.has(type) ? type : unknownType
}
