import { type CodeFence, fencedLines } from '../text/code-fence.ts'

/** In order. Only the first can be written; the others are generated from cards and asks. */
export const sections = {
  goal: 'the goal',
  decided: 'decided',
  open: 'still open',
  inFlight: 'in flight',
} as const

const sectionNames: ReadonlySet<string> = new Set(Object.values(sections))

export const noGoal = 'No goal yet. To set one, PUT this file with the goal in place of this line.'

interface UploadedGoal {
  /** `''` removes the goal. */
  goal: string
  ignored: string[]
}

/** The lines from a heading of level 1 or 2 to the next; level 0 precedes the first heading. */
interface MarkdownSection {
  level: number
  title: string
  lines: string[]
}

const headingMarks = /^ {0,3}(#{1,2})(?=[ \t]|$)/
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/
/** HTML that a blank line does not end. */
const unclosedHtml = /^( {0,3})<(?=[!?]|(?:script|pre|style|textarea)(?:[\s>]|$))/i

/**
 * The goal is the text below the heading `## the goal`, or else the file without its title and the other
 * sections of the page. Goals are read line by line: parsing takes a worker and may exceed its budget, and
 * the page is generated for each reader. What is not recognized is shown as it was written.
 */
export function parseGoal(text: string): UploadedGoal {
  const parts = sectionsOf(text)
  const goalSection = parts.find((part) => nameOf(part) === sections.goal)
  if (goalSection) {
    const otherSections = parts.filter((part) => part.level === 2 && part !== goalSection)
    return { goal: goalOf(goalSection.lines.slice(1)), ignored: otherSections.map(({ title }) => title) }
  }
  const isOfPage = (part: MarkdownSection) => sectionNames.has(nameOf(part))
  const title = parts.find(({ lines }) => lines.some(isText))
  if (title?.level === 1) title.lines.shift()
  const lines = parts.flatMap((part) => (isOfPage(part) ? [] : part.lines))
  return { goal: goalOf(lines), ignored: parts.filter(isOfPage).map(({ title }) => title) }
}

/**
 * Keeps the goal from becoming or swallowing a section of the page. Fences are not indented, since the end of
 * a list item would close an indented one.
 */
export function renderGoal(goal: string): string {
  const rendered: string[] = []
  let isBelowText = false
  let openFence: CodeFence | null = null
  for (const { line, isCode, isFence, open } of fencedLines(goal)) {
    const isHeading = !isCode && headingMarks.test(line)
    if (isFence) rendered.push(line.trimStart())
    else if (isCode) rendered.push(line)
    else if (isHeading) rendered.push(line.replace('#', '###'))
    else if (isBelowText && underline.test(line)) rendered.push(line.replace(/[=-]/, '\\$&'))
    else rendered.push(line.replace(unclosedHtml, '$1\\<'))
    isBelowText = !isCode && !isHeading && isText(line)
    openFence = open
  }
  if (openFence) rendered.push(openFence.marks)
  return rendered.join('\n')
}

const isText = (line: string) => line.trim() !== ''

function goalOf(lines: readonly string[]): string {
  const goal = lines.slice(lines.findIndex(isText), lines.findLastIndex(isText) + 1).join('\n')
  return goal === noGoal ? '' : goal
}

function sectionsOf(text: string): MarkdownSection[] {
  const parts: MarkdownSection[] = [{ level: 0, title: '', lines: [] }]
  for (const { line, isCode } of fencedLines(text)) {
    const [begin, marks] = (isCode ? null : headingMarks.exec(line)) ?? []
    if (marks !== undefined)
      parts.push({ level: marks.length, title: titleIn(line.slice(begin!.length)), lines: [] })
    parts.at(-1)!.lines.push(line)
  }
  return parts
}

/** Strips the marks that may close a heading. */
const titleIn = (heading: string) =>
  heading
    .trim()
    .replace(/(?<!\S)#+$/, '')
    .trim()

const nameOf = ({ level, title }: MarkdownSection) => (level === 2 ? title.toLowerCase() : '')
