import { extension, lookup } from 'mime-types'

const unknownType = 'application/octet-stream'

/** Sent by clients that do not know the type; curl sends every body as a form. */
const genericTypes = new Set([unknownType, 'application/x-www-form-urlencoded', 'multipart/form-data'])

const bareType = /^[\w.+-]+\/[\w.+-]+$/

/** Prefers the name to the sender's claim. */
export function mediaTypeOf(name: string, claimed: string | null = null): string {
  const byName = lookup(name)
  if (byName !== false) return byName
  const type = (claimed ?? '').replace(/;.*/s, '').trim().toLowerCase()
  const isKnown = bareType.test(type) && extension(type) !== false
  return isKnown && !genericTypes.has(type) ? type : unknownType
}
