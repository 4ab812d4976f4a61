import { type CodeFence, isClosingFence, openingFence } from '../text/code-fence.ts'
import { titleText } from './title.ts'

/** Returns the first line that begins with `# ` outside of fenced code, in linear time. */
export function plainTitle(body: string): string | null {
  let fence: CodeFence | null = null
  for (const [line] of body.matchAll(/[^\r\n]+/g)) {
    if (fence) fence = isClosingFence(line, fence) ? null : fence
    else if (line.startsWith('# ')) return titleText(withoutClosingMarks(line.slice(2)))
    else fence = openingFence(line)
  }
  return null
}

function withoutClosingMarks(text: string): string {
  const heading = text.trimEnd()
  let end = heading.length
  while (heading[end - 1] === '#') end--
  return end === 0 || /\s/.test(heading[end - 1]!) ? heading.slice(0, end) : heading
}
