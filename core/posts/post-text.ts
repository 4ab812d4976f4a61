import { WorkspaceError } from '../errors/workspace-error.ts'
import { bodyStart, type ParsedContent } from '../markdown/index.ts'
import { asHeading } from '../text/heading.ts'

const maxTitleLength = 200

export function requireTitle(title: string): string {
  const isOneLine = !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(title)
  const trimmed = title.trim()
  if (isOneLine && trimmed !== '' && [...trimmed].length <= maxTitleLength) return trimmed
  throw new WorkspaceError(
    'bad_request',
    `The title of a post is one line of 1 to ${maxTitleLength} characters, not blank.`,
  )
}

export function requireBody(body: string): void {
  if (!/[\0\p{Cs}]/u.test(body)) return
  throw new WorkspaceError('bad_request', 'The body contains an invalid character.')
}

/** Keeps the body byte for byte. Adds the title as a heading, unless the body begins with it. */
export function postText(title: string, body: string, scheduledMs: number | null): string {
  const frontmatter =
    scheduledMs === null ? '' : `---\nscheduledFor: ${new Date(scheduledMs).toISOString()}\n---\n`
  if (repeatsTitle(body, title)) return frontmatter + body.trimStart()
  const heading = `# ${headingText(title)}\n`
  return frontmatter + (body.trim() === '' ? heading : `${heading}\n${body}`)
}

/** Returns the whole text if it does not begin with the heading of the title. */
export function textBelowTitle(stored: Uint8Array, digest: ParsedContent): string {
  const body = Buffer.from(stored.subarray(bodyStart(stored, digest))).toString()
  if (digest.titleSource !== 'heading') return body
  const heading = firstHeading.exec(body)
  return heading ? body.slice(heading[0].length) : body
}

const newLine = String.raw`(?:\r?\n|\r(?!\n))`
const blankLines = String.raw`(?:[ \t]*${newLine})*`

const firstHeading = new RegExp(
  String.raw`^${blankLines} {0,3}(?:#(?:[ \t][^\r\n]*)?|[^\s#>][^\r\n]*${newLine} {0,3}=+[ \t]*)(?:${newLine}|$)${blankLines}`,
)

/** A longer line cannot have become the title. */
const maxHeadingLength = 4 * maxTitleLength

function repeatsTitle(body: string, title: string): boolean {
  const line = body
    .trimStart()
    .slice(0, maxHeadingLength)
    .split(/[\r\n]/, 1)[0]!
  const heading = /^#[ \t]+(.*)$/.exec(line)?.[1]
  if (heading === undefined) return false
  const text = heading.trimEnd().replace(/[ \t]#+$/, '')
  return [text, text.replace(/\\([!-/:-@[-`{-~])/g, '$1')].some(
    (one) => collapseSpaces(one) === collapseSpaces(title),
  )
}

const collapseSpaces = (text: string) => text.replace(/\s+/gu, ' ').trim()

/** Mentions and URLs, in which a backslash is not an escape. */
const verbatim = /(@\[[^[\]]+\]\([^()\s]+\)|(?<![\p{L}\p{N}])(?:https?:\/\/|www\.)[^\s<]+)/u

const headingText = (title: string): string =>
  title
    .split(verbatim)
    .map((part, index) => (index % 2 === 1 ? part : asHeading(part)))
    .join('')
