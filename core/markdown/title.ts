import type { Nodes } from 'mdast'

export const maxTitleLength = 200

export function titleText(text: string): string | null {
  return text.replace(/\s+/gu, ' ').trim() || null
}

/** A `title` that is a string or number, and not blank. */
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

/** The text of a node, without markup and tags. A mention is `@Name`. */
export function plainText(node: Nodes): string {
  if ('children' in node) return node.children.map(plainText).join('')
  if (node.type === 'text' || node.type === 'inlineCode') return node.value
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? ''
  return node.type === 'break' ? ' ' : ''
}
