import { titleText } from './title.ts'

/**
 * The title of a file that is kept as plain text: its first line that begins with `# ` outside a code fence.
 * Takes time in proportion to the text, whatever it holds.
 */
export function plainTitle(body: string): string | null {
  let fence: { mark: string; length: number } | null = null
  for (const [line] of body.matchAll(/[^\r\n]+/g)) {
    const marks = /^ {0,3}(`{3,}|~{3,})[ \t]*(.?)/.exec(line)
    if (fence) {
      if (marks && marks[1]![0] === fence.mark && marks[1]!.length >= fence.length && !marks[2]) fence = null
    } else if (marks) {
      fence = { mark: marks[1]![0]!, length: marks[1]!.length }
    } else if (line.startsWith('# ')) {
      return titleText(withoutClosingMarks(line.slice(2)))
    }
  }
  return null
}

function withoutClosingMarks(text: string): string {
  const heading = text.trimEnd()
  let end = heading.length
  while (heading[end - 1] === '#') end--
  return end === 0 || /\s/.test(heading[end - 1]!) ? heading.slice(0, end) : heading
}
