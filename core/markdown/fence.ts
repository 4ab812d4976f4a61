/** Frontmatter with its fences, as micromark recognizes it. Lengths are UTF-16 code units. */
export interface FencedText {
  opening: string
  content: string
  closing: string
  length: number
}

const openingLine = /^---[ \t]*(?:\r\n|\n|\r)/
const closingLine = /(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|$)/g

/** Returns null unless the first line opens a fence that is closed. */
export function findFence(text: string): FencedText | null {
  const opening = openingLine.exec(text)?.[0]
  if (opening === undefined) return null
  const closings = new RegExp(closingLine)
  closings.lastIndex = opening.length
  const found = closings.exec(text)
  if (!found) return null
  const [closing] = found
  const content = text.slice(opening.length, found.index)
  return { opening, content, closing, length: found.index + closing.length }
}
