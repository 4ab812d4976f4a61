import { displayedName } from './names.ts'
import type { DisplayedMention, Frontmatter, ParsedContent } from './types.ts'

interface ReadRequest {
  stored: Uint8Array
  digest: ParsedContent
  /** Shown as `# Title` unless the body begins with its own. */
  title: string
  /** Current names by member id; for a missing id, the name in the file is shown. */
  names: Record<string, string>
  /** The server's frontmatter lines, each with a line end. */
  server: string
  /** Replaces the author's `status`, as for a card whose column decides; null to keep theirs. */
  status?: string | null
}

/** The bytes of a plain GET (`docs/interface.md#reading-a-file`). Nothing is parsed. */
export function renderRead({ stored, digest, title, names, server, status = null }: ReadRequest): Buffer {
  const body = renderBody(stored, digest, names)
  const prefix = `---\n${server}${displayedLines(digest.frontmatter, status)}---\n${addedHeading(digest, title, body.length)}`
  return Buffer.concat([Buffer.from(prefix), ...body.parts])
}

export function displayedLines(
  frontmatter: Pick<Frontmatter, 'own' | 'statusRange'> | null,
  status: string | null,
): string {
  const own = frontmatter?.own ?? ''
  if (status === null) return own
  const [start, end] = frontmatter?.statusRange ?? [own.length, own.length]
  return `${own.slice(0, start)}status: ${status}\n${own.slice(end)}`
}

/** Returns names without repeats; broadcasts are `here`, `channel` and `everyone`. */
export function mentionNames(digest: ParsedContent, names: Record<string, string>): string[] {
  return [...new Set(digest.mentions.map((mention) => displayedName(mention, names)))]
}

export function addedHeading(
  digest: Pick<ParsedContent, 'titleSource'>,
  title: string,
  bodyLength: number,
): string {
  if (digest.titleSource === 'heading') return ''
  return bodyLength === 0 ? `# ${title}\n` : `# ${title}\n\n`
}

export function bodyStart(stored: Uint8Array, digest: Pick<ParsedContent, 'frontmatter'>): number {
  return digest.frontmatter?.bodyStart ?? bomLength(stored)
}

export function bomLength(bytes: Uint8Array): 0 | 3 {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

/** Returns the text below the frontmatter, with the byte ranges of its mentions. */
export function displayedText({ stored, digest, title, names }: Omit<ReadRequest, 'server' | 'status'>): {
  body: Buffer
  mentions: DisplayedMention[]
} {
  const { parts, length } = renderBody(stored, digest, names)
  const heading = Buffer.from(addedHeading(digest, title, length))
  let shift = heading.length - bodyStart(stored, digest)
  const mentions = digest.mentions.map((mention) => {
    const { start, end, id, form } = mention
    const displayedLength =
      form === 'bare' ? end - start : Buffer.byteLength(displayedName(mention, names)) + 1
    const displayed = { start: start + shift, end: start + shift + displayedLength, id }
    shift += displayedLength - (end - start)
    return displayed
  })
  return { body: Buffer.concat([heading, ...parts]), mentions }
}

interface RenderedBody {
  parts: Uint8Array[]
  length: number
}

export function renderBody(
  stored: Uint8Array,
  digest: ParsedContent,
  names: Record<string, string>,
): RenderedBody {
  const parts: Uint8Array[] = []
  let start = bodyStart(stored, digest)
  for (const mention of digest.mentions) {
    if (mention.form === 'bare') continue
    parts.push(stored.subarray(start, mention.start), Buffer.from(`@${displayedName(mention, names)}`))
    start = mention.end
  }
  parts.push(stored.subarray(start))
  return { parts, length: parts.reduce((total, part) => total + part.length, 0) }
}
