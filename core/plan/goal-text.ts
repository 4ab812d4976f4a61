import { type CodeFence, fencedLines } from '../text/code-fence.ts'

/** In order. Only the first can be written; the others are generated from cards and asks. */
export const sections = {
  goal: 'the goal',
  decided: 'decided',
  open: 'still open',
  inFlight: 'in flight',
} as const

export const noGoal = 'No goal yet. To set one, PUT this file with the goal in place of this line.'

interface UploadedGoal {
  /** `''` removes the goal. */
  goal: string
  ignored: string[]
}

/** The lines from a heading of level 1 or 2 to the next; level 0 is what precedes the first heading. */
interface MarkdownSection {
  level: 0 | 1 | 2
  title: string
  lines: string[]
}

const marksOfHeading = /^ {0,3}(#{1,2})(?=[ \t]|$)/
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/
/** HTML that a blank line does not end. */
const unclosedHtml = /^( {0,3})<(?=[!?]|(?:script|pre|style|textarea)(?:[\s>]|$))/i

/**
 * The goal is the text below the heading `## the goal`, in any case, up to the next heading of its level or
 * above. Without that heading, it is the whole file except its title and the other sections of the page.
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
 * No part of the goal becomes a section of the page or extends past its end: headings of levels 1 and 2 move
 * two levels down, HTML that would not end is escaped, and an open code fence is closed. Fences are not
 * indented: an indented one could belong to a list item, whose end would close it unnoticed.
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
      parts.push({ level, title: withoutClosingMarks(line.slice(indented!.length).trim()), lines: [line] })
    }
  }
  return parts
}

function withoutClosingMarks(title: string): string {
  let end = title.length
  while (title[end - 1] === '#') end -= 1
  return end === 0 || /\s/.test(title[end - 1]!) ? title.slice(0, end).trim() : title
}
