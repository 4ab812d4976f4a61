import { type CodeFence, fencedLines } from './code-fence.ts'

const containers = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/

/** A line that makes a heading of the paragraph above, also in a quote or list item. */
const underline = /^([ \t>]*)((?:=+|-+)[ \t]*)$/

const opening = /^(?:#|<|\[\^)/

/**
 * A member's markdown as part of a page with its own headings: nothing in it is parsed as a heading or extends
 * beyond its end. Headings, HTML and footnotes are escaped, and open code is closed. A line that begins with `#` is
 * escaped in code as well, for line-based readers. A fence is moved to the beginning of its line, where it cannot
 * be part of a list item, which would end it unnoticed: so open code is known without parsing.
 */
export function embedMarkdown(text: string): string {
  const written: string[] = []
  let left: CodeFence | null = null
  for (const { line, isCode, isFence, open } of fencedLines(text)) {
    left = open
    if (isFence) written.push(open ? line.trimStart() : line.trim())
    else written.push(isCode ? line.replace(/^( {0,3})#/, '$1\\#') : escapedLine(line))
  }
  if (left) written.push(left.marks)
  return written.join('\n')
}

function escapedLine(line: string): string {
  const underlining = underline.exec(line)
  if (underlining) return `${underlining[1]}\\${underlining[2]}`
  const [inside] = containers.exec(line)!
  const rest = line.slice(inside.length)
  return opening.test(rest) ? `${inside}\\${rest}` : line
}
