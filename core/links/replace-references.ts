import type { Caller } from '../access/member.ts'
import { token } from '../markdown/references.ts'
import type { LinkResolver } from './link-resolver.ts'
import { parseReference } from './reference.ts'

/** Further tokens of a text stay as written. */
const maxTokens = 20

/** Replaces tokens such as `[[c:12]]` by titles that the caller may read. */
export function replaceReferences(
  resolver: Pick<LinkResolver, 'document' | 'pull'>,
  { caller, projectId }: { caller: Caller; projectId: string | null },
  text: string,
): string {
  if (!text.includes('[[')) return text
  let remaining = maxTokens
  return text.replace(new RegExp(`!?${token.source}`, 'g'), (raw) => {
    const reference = remaining-- > 0 ? parseReference(raw) : null
    if (!reference) return raw
    if (reference.label !== null) return reference.label
    if (projectId === null && reference.kind !== 'id') return bareName(raw)
    const source = { projectId: projectId ?? '', path: '' }
    const found = resolver.document(caller, reference, source) ?? resolver.pull(caller, reference, source)
    return found?.title ?? bareName(raw)
  })
}

const bareName = (raw: string): string => raw.replace(/^!?\[\[|\]\]$/g, '')
