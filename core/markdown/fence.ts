/** Where a file's frontmatter stands, fences and all, as micromark recognises it. Lengths are UTF-16 code units. */
export interface FencePlace {
  /** The first line with its line end. */
  opening: string
  /** The lines between the fences. */
  content: string
  /** The last line with its line end, where it has one. */
  closing: string
  /** Of the whole; the body begins behind it. */
  length: number
}

const openingLine = /^---[ \t]*(?:\r\n|\n|\r)/
const closingLine = /(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|$)/g

/** Finds `---` on the first line and the `---` that closes it; null when there is no such pair. */
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
