import type { Nodes } from 'mdast'

/** The most characters (code points) of a title. */
export const maxTitleLength = 200

/** A title's text: white space collapsed and trimmed; null when nothing is left. */
export function titleText(text: string): string | null {
  return text.replace(/\s+/gu, ' ').trim() || null
}

/** The title that the author's frontmatter gives: a `title` that is a text or a number, and not blank. */
export function frontmatterTitle(fields: Record<string, unknown> | undefined): string | null {
  const title = fields && Object.hasOwn(fields, 'title') ? fields.title : null
  return typeof title === 'string' || typeof title === 'number' ? titleText(String(title)) : null
}

export function isTooLong(title: string): boolean {
  return title.length > maxTitleLength && [...title].length > maxTitleLength
}

export function truncateTitle(title: string): string {
  return isTooLong(title) ? [...title].slice(0, maxTitleLength).join('') : title
}

/** What a person reads of a node: its text, without marks and tags. A mention reads `@Name`. */
export function plainText(node: Nodes): string {
  if ('children' in node) return node.children.map(plainText).join('')
  if (node.type === 'text' || node.type === 'inlineCode') return node.value
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? ''
  return node.type === 'break' ? ' ' : ''
}
