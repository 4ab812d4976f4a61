import type { Caller } from '../access/member.ts'
import { token } from '../markdown/references.ts'
import type { LinkResolver } from './link-resolver.ts'
import { parseReference } from './reference.ts'

/** In a longer text the others stay as they are written. */
const maxTokens = 20

/**
 * A text with the titles of what its tokens name, such as `[[c:12]]`, for this reader.
 * @param projectId to which titles and numbers are relative; null: only those by id are looked up
 */
export function shownReferences(
  resolver: Pick<LinkResolver, 'document' | 'pull'>,
  { caller, projectId }: { caller: Caller; projectId: string | null },
  text: string,
): string {
  if (!text.includes('[[')) return text
  let left = maxTokens
  return text.replace(new RegExp(`!?${token.source}`, 'g'), (written) => {
    const reference = left-- > 0 ? parseReference(written) : null
    if (!reference) return written
    if (reference.label !== null) return reference.label
    if (projectId === null && reference.kind !== 'id') return bareName(written)
    const source = { projectId: projectId ?? '', path: '' }
    const found = resolver.document(caller, reference, source) ?? resolver.pull(caller, reference, source)
    return found?.title ?? bareName(written)
  })
}

const bareName = (written: string): string => written.replace(/^!?\[\[|\]\]$/g, '')
