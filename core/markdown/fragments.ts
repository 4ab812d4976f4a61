import { type CodeFence, isClosingFence, openingFence } from '../text/code-fence.ts'

/** A part of a body that, parsed on its own, gives the very nodes that it gives as part of the whole. */
export interface Fragment {
  /** UTF-16 offset in the body. */
  start: number
  /** Line ends above it. */
  line: number
}

const lines = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g
const blank = /^[ \t]*$/
const listItem = /^[ \t]*(?:[-+*]|\d+[.)])(?:[ \t]|$)/
const indentedCode = /^(?: {4}| {0,3}\t)/
const htmlTag = /^ {0,3}<(.*)$/s

/** HTML that goes on over blank lines: comments, instructions, declarations, CDATA, and these elements. */
const htmlOverBlankLines = /^(?:[!?]|\/?(?:script|pre|style|textarea))/i
const commentOnOneLine = /^!--.*-->/s

/**
 * Cuts a body into fragments: one top-level block or several, and the blank lines below them.
 *
 * A fragment begins below a blank line, with a line that is not indented. Such a line ends whatever is open, except code
 * fences and some HTML, which are followed here, and lists, which it may continue. Where micromark may see more than can
 * be told line by line, there is no cut.
 * @returns null where blocks depend on one another, or may do so
 */
export function fragmentsOf(body: string): Fragment[] | null {
  // A definition or a footnote changes what all other blocks say.
  if (body.includes(']:')) return null
  if (beginsOtherwiseAlone(body)) return null
  const fragments: Fragment[] = [{ start: 0, line: 0 }]
  let fence: CodeFence | null = null
  // Whether a list may be open. Below indented code micromark reads what may be an item as it does below a paragraph.
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
      // In a list it may be part of an item: which one does not matter while no line leaves it.
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
    // It may be a line of the HTML above it.
    if (fence && hasHtml) return null
  }
  return fragments
}

/** What ends the fragments before the last, so that each of them is parsed as what it is: not the end of the text. */
export const lineBelow = 'x'

function canBegin(line: string): boolean {
  return !/^[ \t]/.test(line) && !beginsOtherwiseAlone(line)
}

/** Frontmatter, and a BOM, are only at the beginning of a text what they are. */
function beginsOtherwiseAlone(text: string): boolean {
  return text.startsWith('---') || text.startsWith('\uFEFF')
}

const indentOf = (line: string) => /^ */.exec(line)![0].length
