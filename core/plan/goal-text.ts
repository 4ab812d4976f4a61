import { type CodeFence, fencedLines } from '../text/code-fence.ts'

/** The sections of `plan.md`, in their order. The first can be written, the others are made from cards and asks. */
export const sections = {
  goal: 'the goal',
  decided: 'decided',
  open: 'still open',
  inFlight: 'in flight',
} as const

/** Stands in the place of a goal that nobody has set. */
export const noGoal = 'Nobody has set a goal yet: PUT this file with one in the place of this line.'

/** The goal of a file that was sent. */
interface UploadedGoal {
  /** `''`: there is to be none. */
  goal: string
  /** Headings of the sections whose text is not kept. */
  ignored: string[]
}

/** Lines below a heading of the first two levels; those above the first such heading have none. */
interface MarkdownSection {
  level: 0 | 1 | 2
  title: string
  /** With the heading's own. */
  lines: string[]
}

/** The marks with which a heading of the first two levels begins. */
const marksOfHeading = /^ {0,3}(#{1,2})(?=[ \t]|$)/
/** A line that makes a heading of the paragraph above it. */
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/
/** What begins HTML that no blank line ends. */
const unclosedHtml = /^( {0,3})<(?=[!?]|(?:script|pre|style|textarea)(?:[\s>]|$))/i

/**
 * Finds the goal in a file: the text below the heading `## the goal`, in any case, up to the next heading of its level or
 * above; where there is no such heading, the whole file without its title and the other sections of the page.
 */
export function parseGoal(text: string): UploadedGoal {
  const parts = sectionsOf(text)
  const isSection = (part: MarkdownSection, name: string) =>
    part.level === 2 && part.title.toLowerCase() === name
  const named = parts.find((part) => isSection(part, sections.goal))
  if (named) {
    const others = parts.filter((part) => part.level === 2 && part !== named)
    return { goal: goalOf(named.lines.slice(1)), ignored: others.map(({ title }) => title) }
  }
  const isOfPage = (part: MarkdownSection) => Object.values(sections).some((name) => isSection(part, name))
  const title = parts.find(({ lines }) => lines.some(isText))
  const lines = parts
    .filter((part) => !isOfPage(part))
    .flatMap((part) => (part === title && part.level === 1 ? part.lines.slice(1) : part.lines))
  return { goal: goalOf(lines), ignored: parts.filter(isOfPage).map(({ title }) => title) }
}

/**
 * The goal as the page shows it: nothing in it is a section of the page, and nothing in it reaches beyond its end. Headings
 * of the page's own levels go two levels down, HTML that would not end is escaped, and code that is left open is closed.
 * A fence stands at the beginning of its line, where it can belong to no list item, which would end it unseen.
 */
export function renderGoal(goal: string): string {
  const shown: string[] = []
  let isBelowText = false
  let left: CodeFence | null = null
  for (const { line, isCode, isFence, open } of fencedLines(goal)) {
    const isHeading = !isCode && marksOfHeading.test(line)
    if (isFence) shown.push(line.trimStart())
    else if (isCode) shown.push(line)
    else if (isHeading) shown.push(line.replace('#', '###'))
    else if (isBelowText && underline.test(line)) shown.push(line.replace(/[=-]/, '\\$&'))
    else shown.push(line.replace(unclosedHtml, '$1\\<'))
    isBelowText = !isCode && !isHeading && isText(line)
    left = open
  }
  if (left) shown.push(left.marks)
  return shown.join('\n')
}

const isText = (line: string) => line.trim() !== ''

function goalOf(lines: readonly string[]): string {
  const goal = lines.slice(lines.findIndex(isText), lines.findLastIndex(isText) + 1).join('\n')
  return goal === noGoal ? '' : goal
}

function sectionsOf(text: string): MarkdownSection[] {
  const parts: MarkdownSection[] = [{ level: 0, title: '', lines: [] }]
  for (const { line, isCode } of fencedLines(text)) {
    const [indented, marks] = (isCode ? null : marksOfHeading.exec(line)) ?? []
    if (marks === undefined) parts.at(-1)!.lines.push(line)
    else {
      const level = marks.length as 1 | 2
      parts.push({ level, title: withoutClosing(line.slice(indented!.length).trim()), lines: [line] })
    }
  }
  return parts
}

/** A heading may end with marks as well. */
function withoutClosing(title: string): string {
  let end = title.length
  while (title[end - 1] === '#') end -= 1
  return end === 0 || /\s/.test(title[end - 1]!) ? title.slice(0, end).trim() : title
}
