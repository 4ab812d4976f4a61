/** A file as read, split into the server's and the author's parts. */
interface SplitFile {
  /** Frontmatter lines with their ends; `''` for a new file. */
  serverFrontmatter: string
  /** The author's frontmatter, if any, and the text. */
  text: string
}

const openingFence = /^---[ \t]*(?:\r\n|\n|\r)/
const closingFence = /[\r\n]---[ \t]*(?:\r\n|\n|\r|$)/

/** @param serverKeys the server's keys, which precede all others */
export function splitEnvelope(source: string, serverKeys: ReadonlySet<string>): SplitFile {
  const start = '---\n'.length
  let end = start
  for (;;) {
    const colon = source.indexOf(':', end)
    if (colon === -1 || !serverKeys.has(source.slice(end, colon))) break
    end = source.indexOf('\n', colon) + 1
  }
  const rest = source.slice(end)
  // An empty fence is removed, unless the text below would then be parsed as frontmatter.
  const isEmpty = rest.startsWith('---\n') && !rest.startsWith('---', start)
  return { serverFrontmatter: source.slice(start, end), text: isEmpty ? rest.slice(start) : `---\n${rest}` }
}

/** The inverse of `splitEnvelope`, byte for byte. */
export function joinEnvelope({ serverFrontmatter, text }: SplitFile): string {
  if (serverFrontmatter === '') return text
  const opening = openingFence.exec(text)?.[0]
  const hasFence = opening !== undefined && closingFence.test(text.slice(opening.length - 1))
  return hasFence
    ? opening + serverFrontmatter + text.slice(opening.length)
    : `---\n${serverFrontmatter}---\n${text}`
}
