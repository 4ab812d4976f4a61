/** A file as read, split into the server's and the author's parts. */
interface SplitFile {
  /** Frontmatter lines with their ends; `''` for a new file. */
  server: string
  /** The author's frontmatter, if any, and the text. */
  text: string
}

const openingFence = /^---[ \t]*(?:\r\n|\n|\r)/
const closingFence = /[\r\n]---[ \t]*(?:\r\n|\n|\r|$)/

/** @param serverKeys the server's keys, which precede all others */
export function splitEnvelope(read: string, serverKeys: ReadonlySet<string>): SplitFile {
  const begin = '---\n'.length
  let end = begin
  for (;;) {
    const colon = read.indexOf(':', end)
    if (colon === -1 || !serverKeys.has(read.slice(end, colon))) break
    end = read.indexOf('\n', colon) + 1
  }
  const rest = read.slice(end)
  // An empty fence is removed, unless the text below would then be parsed as frontmatter.
  const isEmpty = rest.startsWith('---\n') && !rest.startsWith('---', begin)
  return { server: read.slice(begin, end), text: isEmpty ? rest.slice(begin) : `---\n${rest}` }
}

/** The inverse of `splitEnvelope`, byte for byte. */
export function joinEnvelope({ server, text }: SplitFile): string {
  if (server === '') return text
  const opening = openingFence.exec(text)?.[0]
  const hasFence = opening !== undefined && closingFence.test(text.slice(opening.length - 1))
  return hasFence ? opening + server + text.slice(opening.length) : `---\n${server}---\n${text}`
}
