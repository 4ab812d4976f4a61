import { type CodeFence, isClosingFence, openingFence } from '../text/code-fence.ts'

/** A part of a body that, parsed alone, gives the same nodes as in the whole. */
export interface Fragment {
  start: number
  line: number
}

const lines = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g
const blank = /^[ \t]*$/
const listItem = /^[ \t]*(?:[-+*]|\d+[.)])(?:[ \t]|$)/
const indentedCode = /^(?: {4}| {0,3}\t)/
const htmlTag = /^ {0,3}<(.*)$/s

/** HTML that can contain blank lines: comments, instructions, declarations, CDATA, and these elements. */
const htmlOverBlankLines = /^(?:[!?]|\/?(?:script|pre|style|textarea))/i
const commentOnOneLine = /^!--.*-->/s

/**
 * Splits a body before lines that follow a blank line and are not indented. Such lines end everything except
 * code fences and some HTML, which are tracked here, and lists. Returns null if blocks may depend on one another.
 */
export function fragmentsOf(body: string): Fragment[] | null {
  // A definition or footnote affects all other blocks.
  if (body.includes(']:')) return null
  if (isSpecialAtStart(body)) return null
  const fragments: Fragment[] = [{ start: 0, line: 0 }]
  let fence: CodeFence | null = null
  // After indented code, micromark treats a possible item as it does after a paragraph.
  let hasList = false
  let hasHtml = false
  let isBelowBlank = false
  let line = -1
  for (const { 0: withEnd, index } of body.matchAll(lines)) {
    line++
    const text = withEnd.replace(/[\r\n]+$/, '')
    const wasBelowBlank = isBelowBlank
    isBelowBlank = blank.test(text)
    if (isBelowBlank) {
      hasHtml = false
      continue
    }
    if (fence) {
      // The fence may be part of a list item: irrelevant while no line leaves it.
      if (hasList && indentOf(text) < fence.indent) return null
      if (isClosingFence(text, fence)) fence = null
      continue
    }
    const isItem = listItem.test(text)
    if (wasBelowBlank && canBegin(text) && !(hasList && (isItem || text.startsWith('>')))) {
      fragments.push({ start: index, line })
      hasList = false
    }
    if (isItem || indentedCode.test(text)) hasList = true
    const html = htmlTag.exec(text)?.[1]
    if (html !== undefined) {
      if (htmlOverBlankLines.test(html) && !commentOnOneLine.test(html)) return null
      hasHtml = true
    }
    fence = openingFence(text)
    // It may be part of the HTML above.
    if (fence && hasHtml) return null
  }
  return fragments
}

/** Appended to all fragments but the last, so that they are not parsed as the end of a text. */
export const lineBelow = 'x'

function canBegin(line: string): boolean {
  return !/^[ \t]/.test(line) && !isSpecialAtStart(line)
}

/** Frontmatter and a BOM are only recognized at the beginning of a text. */
function isSpecialAtStart(text: string): boolean {
  return text.startsWith('---') || text.startsWith('\uFEFF')
}

const indentOf = (line: string) => /^ */.exec(line)![0].length
