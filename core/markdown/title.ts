import type { Nodes } from 'mdast'
import { type CodeFence, isClosingFence, openingFence } from '../text/code-fence.ts'

/** In code points. */
const maxTitleLength = 200
/** A longer title ends with a whole word if that leaves this much. */
const minCutLength = 150

export function titleText(text: string): string | null {
  return text.replace(/\s+/gu, ' ').trim() || null
}

export function frontmatterTitle(fields: Record<string, unknown> | undefined): string | null {
  const title = fields && Object.hasOwn(fields, 'title') ? fields.title : null
  return typeof title === 'string' || typeof title === 'number' ? titleText(String(title)) : null
}

/** The title that is shown, and names the file. The text keeps all of it. */
export function truncateTitle(title: string): string {
  if (title.length <= maxTitleLength) return title
  const characters = [...title]
  if (characters.length <= maxTitleLength) return title
  const end = characters.lastIndexOf(' ', maxTitleLength)
  return characters.slice(0, end < minCutLength ? maxTitleLength : end).join('')
}

/** The text of a node, without markup and tags. A mention is `@Name`. */
export function plainText(node: Nodes): string {
  if ('children' in node) return node.children.map(plainText).join('')
  if (node.type === 'text' || node.type === 'inlineCode') return node.value
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? ''
  return node.type === 'break' ? ' ' : ''
}

/** Returns the first line that begins with `# ` outside of fenced code, in linear time. */
export function plainTitle(body: string): string | null {
  let fence: CodeFence | null = null
  for (const [line] of body.matchAll(/[^\r\n]+/g)) {
    if (fence) fence = isClosingFence(line, fence) ? null : fence
    else if (line.startsWith('# ')) return titleText(withoutClosingMarks(line.slice(2)))
    else fence = openingFence(line)
  }
  return null
}

function withoutClosingMarks(text: string): string {
  const heading = text.trimEnd()
  let end = heading.length
  while (heading[end - 1] === '#') end--
  return end === 0 || /\s/.test(heading[end - 1]!) ? heading.slice(0, end) : heading
}
