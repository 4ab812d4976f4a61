import { type CodeFence, fencedLines } from './code-fence.ts'

const containers = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/

/** Makes a heading of the paragraph above, also in a quote or list item. */
const underline = /^([ \t>]*)((?:=+|-+)[ \t]*)$/

const opening = /^(?:#|<|\[\^)/

/**
 * Keeps a member's markdown from becoming a heading of the page or extending beyond its end. Fences move to
 * the beginning of their line, where no list item can end them. `#` is escaped in code as well, for
 * line-based readers.
 */
export function embedMarkdown(text: string): string {
  const lines: string[] = []
  let openFence: CodeFence | null = null
  for (const { line, isCode, isFence, open } of fencedLines(text)) {
    openFence = open
    if (isFence) lines.push(open ? line.trimStart() : line.trim())
    else lines.push(isCode ? line.replace(/^( {0,3})#/, '$1\\#') : escapeLine(line))
  }
  if (openFence) lines.push(openFence.marks)
  return lines.join('\n')
}

function escapeLine(line: string): string {
  const underlining = underline.exec(line)
  if (underlining) return `${underlining[1]}\\${underlining[2]}`
  const [prefix] = containers.exec(line)!
  const rest = line.slice(prefix.length)
  return opening.test(rest) ? `${prefix}\\${rest}` : line
}
