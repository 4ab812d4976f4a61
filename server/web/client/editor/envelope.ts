/** A file as a GET answers it, apart: what the server has put in, and what people write. */
interface SplitFile {
  /** The server's lines of the frontmatter, each with its line end. `''` of what is not there yet. */
  server: string
  /** The author's frontmatter, if there is any, and the text. */
  text: string
}

const openingFence = /^---[ \t]*(?:\r\n|\n|\r)/
const closingFence = /[\r\n]---[ \t]*(?:\r\n|\n|\r|$)/

/**
 * Cuts what a GET has answered.
 * @param serverKeys the keys of the frontmatter that are the server's, which stand before all others
 */
export function splitEnvelope(read: string, serverKeys: ReadonlySet<string>): SplitFile {
  const begin = '---\n'.length
  let end = begin
  for (;;) {
    const colon = read.indexOf(':', end)
    if (colon === -1 || !serverKeys.has(read.slice(end, colon))) break
    end = read.indexOf('\n', colon) + 1
  }
  const rest = read.slice(end)
  // An empty fence is removed, unless the text below would be parsed as one.
  const isEmpty = rest.startsWith('---\n') && !rest.startsWith('---', begin)
  return { server: read.slice(begin, end), text: isEmpty ? rest.slice(begin) : `---\n${rest}` }
}

/** What is sent: of a text that was not changed exactly what the GET had answered. */
export function joinEnvelope({ server, text }: SplitFile): string {
  if (server === '') return text
  const opening = openingFence.exec(text)?.[0]
  const hasFence = opening !== undefined && closingFence.test(text.slice(opening.length - 1))
  return hasFence ? opening + server + text.slice(opening.length) : `---\n${server}---\n${text}`
}
