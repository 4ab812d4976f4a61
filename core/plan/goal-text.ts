import type { Heading } from '../markdown/index.ts'
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

const headingMarks = /^ {0,3}(#{1,2})(?=[ \t]|$)/
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/
/** HTML that a blank line does not end. */
const unclosedHtml = /^( {0,3})<(?=[!?]|(?:script|pre|style|textarea)(?:[\s>]|$))/i

/**
 * The goal is the text below the heading `## the goal`, or else the text without its title and the other sections of
 * the page. A section goes on to the next heading of level 1 or 2.
 */
export function goalIn(text: string, headings: readonly Heading[]): UploadedGoal {
  const lines = text.split(/\r\n|\n|\r/)
  const parts = headings
    .filter(({ depth }) => depth <= 2)
    .map((heading, index, all) => ({ ...heading, end: (all[index + 1]?.lines[0] ?? lines.length + 1) - 1 }))
  const nameOf = ({ depth, text }: Heading) => (depth === 2 ? text.toLowerCase() : '')
  const own = parts.find((part) => nameOf(part) === sections.goal)
  if (own) {
    const others = parts.filter((part) => part.depth === 2 && part !== own)
    return { goal: joinGoal(lines.slice(own.lines[1], own.end)), ignored: others.map(({ text }) => text) }
  }
  const isOfPage = (part: Heading) => sectionNames.has(nameOf(part))
  const start = lines.slice(0, (parts[0]?.lines[0] ?? lines.length + 1) - 1)
  const title = parts[0]?.depth === 1 && !start.some(isText) ? parts[0] : null
  const kept = parts
    .filter((part) => !isOfPage(part))
    .flatMap((part) => lines.slice(part === title ? part.lines[1] : part.lines[0] - 1, part.end))
  return { goal: joinGoal([...start, ...kept]), ignored: parts.filter(isOfPage).map(({ text }) => text) }
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

function joinGoal(lines: readonly string[]): string {
  const goal = lines.slice(lines.findIndex(isText), lines.findLastIndex(isText) + 1).join('\n')
  return goal === noGoal ? '' : goal
}
