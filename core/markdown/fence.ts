/** A file's frontmatter with its fences, as recognized by micromark. Lengths are UTF-16 code units. */
export interface FencePlace {
  opening: string
  content: string
  closing: string
  /** Of the whole; the body follows. */
  length: number
}

const openingLine = /^---[ \t]*(?:\r\n|\n|\r)/
const closingLine = /(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|$)/g

/** Finds `---` on the first line and the closing `---`; null if there is no such pair. */
export function findFence(text: string): FencePlace | null {
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
