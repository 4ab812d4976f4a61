/** White space, and the marks of the quotes and list items that something may stand in. */
const containers = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/

/** A line that would make a heading of the paragraph above it, also within a quote or a list item. */
const underline = /^([ \t>]*)((?:=+|-+)[ \t]*)$/

/** What begins a heading of its own, HTML, or a footnote, in which all of them can stand. */
const opening = /^(?:#|<|\[\^)/

/** A line that begins or ends a block of code: three marks or more, and what stands behind them. */
const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/s

/**
 * Somebody's markdown as a part of a page whose headings are the page's own: nothing in it is read as a heading, and
 * nothing in it reaches beyond its end. Headings, HTML and footnotes are escaped; a block of code that is left open is
 * closed. A line that begins with `#` is escaped in code as well, for those who read the page line by line.
 *
 * A fence is moved to the beginning of its line. There it can belong to no list item, which would end it unseen: whether
 * code is open is known without parsing. A fence further in belongs to a quote or a list item and ends with it.
 */
export function embedMarkdown(text: string): string {
  /** The marks that opened the code which the line stands in; null outside code. */
  let open: string | null = null
  const written: string[] = []
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, marks, behind] = fence.exec(line) ?? []
    if (open !== null && marks !== undefined && closes(marks, behind!, open)) {
      open = null
      written.push(marks)
    } else if (open !== null) {
      written.push(line.replace(/^( {0,3})#/, '$1\\#'))
    } else if (marks !== undefined && opens(marks, behind!)) {
      open = marks
      written.push(marks + behind)
    } else {
      written.push(escapedLine(line))
    }
  }
  if (open !== null) written.push(open)
  return written.join('\n')
}

/** Behind backticks stand none: they would be code within a line. */
const opens = (marks: string, behind: string) => marks.startsWith('~') || !behind.includes('`')

const closes = (marks: string, behind: string, open: string) =>
  marks.startsWith(open) && /^[ \t]*$/.test(behind)

function escapedLine(line: string): string {
  const underlining = underline.exec(line)
  if (underlining) return `${underlining[1]}\\${underlining[2]}`
  const [inside] = containers.exec(line)!
  const rest = line.slice(inside.length)
  return opening.test(rest) ? `${inside}\\${rest}` : line
}
