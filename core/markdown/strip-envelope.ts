import { addedHeading, bodyStart, bomLength, displayedLines } from './envelope.ts'
import { type FencedText, findFence } from './fence.ts'
import { type FenceMap, parseFence } from './frontmatter.ts'
import { displayedBody } from './previous-version.ts'
import type { Frontmatter, PreviousVersion } from './types.ts'

export interface FrontmatterBlock {
  text: string
  frontmatter: Frontmatter | null
}

interface StrippedFile {
  /** It equals the current file as displayed. */
  isUnchanged: boolean
  body: string
  /** UTF-16 length of the heading and blank line that a read may have added; 0 if there is none. */
  addedHeading: number
  fields: Record<string, unknown>
  buildFrontmatter(body: string): FrontmatterBlock
}

/** Removes what a read added to the frontmatter, and finds an added heading. @param text without a BOM */
export function stripEnvelope(
  text: string,
  map: FenceMap | null,
  before: PreviousVersion | null,
  names: Record<string, string>,
): StrippedFile {
  const sentBody = map ? text.slice(map.source.length) : text
  const sentOwn = map?.own ?? ''
  const previous = before?.digest.frontmatter ?? null
  const keepsOwn = before !== null && sentOwn === displayedLines(previous, before.status ?? null)
  const own = keepsOwn
    ? { own: previous?.own ?? '', statusRange: previous?.statusRange ?? null, fields: previous?.fields ?? {} }
    : map && withOwnStatus(map, previous, before?.status ?? null)
  const isEmptyFence = map !== null && isAuthorsEmptyFence(map, sentBody, before)
  const hasFrontmatter = map !== null && own !== null && (own.own.trim() !== '' || isEmptyFence)
  const keepsFence = map === null ? previous === null : previous !== null || !isEmptyFence
  const body = map && !hasFrontmatter && !startsBlank(before) ? withoutBlankLines(sentBody) : sentBody
  return {
    isUnchanged: keepsOwn && keepsFence && sentBody === readBody(before, names),
    body,
    addedHeading: addedHeadingLength(body, before),
    fields: hasFrontmatter ? own.fields : {},
    buildFrontmatter: (stored) =>
      hasFrontmatter ? frontmatterBlock(own, fenceLines(map, before), stored) : escapeLeadingFence(stored),
  }
}

/** Whether an empty fence is the author's: uploaded as such, or in the file before. */
function isAuthorsEmptyFence(
  { source, own }: FenceMap,
  sentBody: string,
  before: PreviousVersion | null,
): boolean {
  if (own.trim() !== '') return false
  const isReadBack = source.content.length !== own.length
  if (!isReadBack) return true
  if (storedFence(before)?.content.trim() !== '') return false
  // Above a body that begins with a fence it may be ours, and is replaced.
  const { stored, digest } = before!
  const body = Buffer.from(stored.subarray(bodyStart(stored, digest))).toString()
  return parseFence(body).kind !== 'map' || parseFence(sentBody).kind === 'map'
}

function storedFence(before: PreviousVersion | null): FencedText | null {
  if (!before?.digest.frontmatter) return null
  const { stored, digest } = before
  return findFence(Buffer.from(stored.subarray(bomLength(stored), bodyStart(stored, digest))).toString())
}

/** Restores the `status` of the author, which a read displayed otherwise. @param displayed null: it was theirs */
function withOwnStatus(
  { own, statusRange, fields }: FenceMap,
  previous: Frontmatter | null,
  displayed: string | null,
): Omit<Frontmatter, 'bodyStart'> {
  if (displayed === null || statusRange === null || fields.status !== displayed)
    return { own, statusRange, fields }
  const [start, end] = statusRange
  const ownStatus = previous?.statusRange ? previous.own.slice(...previous.statusRange) : ''
  const { status: _, ...others } = fields
  return {
    own: own.slice(0, start) + ownStatus + own.slice(end),
    statusRange: ownStatus === '' ? null : [start, start + ownStatus.length],
    fields: ownStatus === '' ? others : { ...others, status: previous!.fields.status },
  }
}

function readBody(before: PreviousVersion, names: Record<string, string>): string {
  const body = displayedBody(before, names)
  return addedHeading(before.digest, before.title, body.length) + body.toString()
}

/** The fence's two lines as uploaded, or the file's, if they were uploaded as displayed. */
function fenceLines(map: FenceMap, before: PreviousVersion | null): Pick<FencedText, 'opening' | 'closing'> {
  const isReadBack = map.source.content.length !== map.own.length
  return (isReadBack && storedFence(before)) || map.source
}

function frontmatterBlock(
  { own, statusRange, fields }: Omit<Frontmatter, 'bodyStart'>,
  { opening, closing }: Pick<FencedText, 'opening' | 'closing'>,
  body: string,
): FrontmatterBlock {
  const lineEnd = body === '' || /[\r\n]$/.test(closing) ? '' : '\n'
  const text = opening + own + closing + lineEnd
  return { text, frontmatter: { bodyStart: Buffer.byteLength(text), own, statusRange, fields } }
}

/** An empty fence keeps a leading fence of the body from being parsed as frontmatter. */
function escapeLeadingFence(body: string): FrontmatterBlock {
  if (parseFence(body).kind !== 'map') return { text: '', frontmatter: null }
  return frontmatterBlock(
    { own: '', statusRange: null, fields: {} },
    { opening: '---\n', closing: '---\n' },
    body,
  )
}

function startsBlank(before: PreviousVersion | null): boolean {
  if (!before) return false
  const { stored } = before
  const start = bomLength(stored)
  return /^[ \t]*[\r\n]/.test(Buffer.from(stored.subarray(start, start + 256)).toString('latin1'))
}

function withoutBlankLines(text: string): string {
  const first = text.search(/[^ \t\r\n]/)
  if (first === -1) return ''
  return text.slice(Math.max(text.lastIndexOf('\n', first), text.lastIndexOf('\r', first)) + 1)
}

function addedHeadingLength(body: string, before: PreviousVersion | null): number {
  if (!before || before.digest.titleSource === 'heading') return 0
  const heading = `# ${before.title}`
  if (!body.startsWith(heading)) return 0
  const lineEnds = /^(?:\r\n|\n|\r|$)(?:\r\n|\n|\r)?/.exec(body.slice(heading.length))
  return lineEnds ? heading.length + lineEnds[0].length : 0
}
