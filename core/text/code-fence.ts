/** Open fenced code ([CommonMark 4.5](https://spec.commonmark.org/0.31.2/#fenced-code-blocks)). */
export interface CodeFence {
  marks: string
  indent: number
}

interface FencedLine {
  line: string
  isCode: boolean
  isFence: boolean
  open: CodeFence | null
}

const fenceLine = /^( {0,3})(`{3,}|~{3,})(.*)$/s

/** The fence that a line outside code opens; null if it opens none. Text after backticks contains no backtick. */
export function openingFence(line: string): CodeFence | null {
  const [, indent, marks, info] = fenceLine.exec(line) ?? []
  if (marks === undefined || (marks.startsWith('`') && info!.includes('`'))) return null
  return { marks, indent: indent!.length }
}

/** Closed by at least as many marks, with nothing after them. */
export function isClosingFence(line: string, { marks }: CodeFence): boolean {
  const [, , found, rest] = fenceLine.exec(line) ?? []
  return found?.startsWith(marks) === true && /^[ \t]*$/.test(rest!)
}

/** Does not recognize fences in quotes and list items. */
export function* fencedLines(text: string): Generator<FencedLine, void, undefined> {
  let open: CodeFence | null = null
  for (const line of text.split(/\r\n|\n|\r/)) {
    const wasOpen: CodeFence | null = open
    if (wasOpen === null) open = openingFence(line)
    else if (isClosingFence(line, wasOpen)) open = null
    yield { line, isCode: wasOpen !== null || open !== null, isFence: wasOpen !== open, open }
  }
}
