import { type CodeFence, fencedLines } from './code-fence.ts'

/** White space, and the marks of the quotes and list items that something may stand in. */
const containers = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/

/** A line that would make a heading of the paragraph above it, also within a quote or a list item. */
const underline = /^([ \t>]*)((?:=+|-+)[ \t]*)$/

/** What begins a heading of its own, HTML, or a footnote, in which all of them can stand. */
const opening = /^(?:#|<|\[\^)/

/**
 * Somebody's markdown as a part of a page whose headings are the page's own: nothing in it is read as a heading, and
 * nothing in it reaches beyond its end. Headings, HTML and footnotes are escaped; a block of code that is left open is
 * closed. A line that begins with `#` is escaped in code as well, for those who read the page line by line.
 *
 * A fence is moved to the beginning of its line. There it can belong to no list item, which would end it unseen: whether
 * code is open is known without parsing. A fence further in belongs to a quote or a list item and ends with it.
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
