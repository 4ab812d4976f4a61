import { type CodeFence, isClosingFence, openingFence } from '../../text/code-fence.ts'
import { decode } from '../analyse.ts'
import type { DisplayedMention, HtmlRequest, OutlineEntry, TextParts } from '../types.ts'
import { renderHtml } from './render-html.ts'

/** Parsed and rendered in a small part of the budget. */
const partLength = 32 * 1024
/** A part that found no blank line to end at may end within a list or paragraph. */
const maxPartLength = 3 * partLength
const maxDefinitionsLength = 64 * 1024

const lines = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g
const blank = /^[ \t]*$/
const atxHeading = /^ {0,3}#{1,6}(?:[ \t]|$)/
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/
const listItem = /^[ \t]*(?:[-+*]|\d+[.)])(?:[ \t]|$)/
const definition = /^ {0,3}\[([^\]\\]+)\]:/

interface Part {
  start: number
  headings: string[]
}

/** Divides a long body where blocks begin, and adds one-line definitions to the parts that use them. */
export function textParts(request: HtmlRequest): TextParts {
  const body = decode(request.body)
  const { parts, definitions } = splitBody(body)
  const headings = parts.flatMap((part) => part.headings)
  const outline = outlineOf(headings, request.origin)
  const requests = parts.map(({ start }, index) => {
    const text = body.slice(start, parts[index + 1]?.start ?? body.length)
    return {
      ...request,
      body: Buffer.from(text + usedIn(text, definitions)),
      mentions: mentionsIn(request.mentions, body, start, text),
      isPlain: false,
    }
  })
  const partOf = parts.flatMap((part, index) => part.headings.map(() => index + 1))
  return { requests, outline: outline.map((entry, index) => ({ ...entry, part: partOf[index] ?? 1 })) }
}

function splitBody(body: string): { parts: Part[]; definitions: Map<string, string> } {
  const parts: Part[] = [{ start: 0, headings: [] }]
  const definitions = new Map<string, string>()
  let [fence, previous]: [CodeFence | null, string] = [null, '']
  for (const { 0: withEnd, index } of body.matchAll(lines)) {
    const text = withEnd.replace(/[\r\n]+$/, '')
    if (fence) {
      if (isClosingFence(text, fence)) fence = null
      previous = ''
      continue
    }
    if (endsPart(index - parts.at(-1)!.start, previous, text)) parts.push({ start: index, headings: [] })
    fence = openingFence(text)
    const { headings } = parts.at(-1)!
    const name = definition.exec(text)?.[1]
    if (name !== undefined) definitions.set(name.toLowerCase(), text)
    else if (atxHeading.test(text)) headings.push(text)
    else if (underline.test(text) && isHeadingText(previous)) headings.push(`${previous}\n${text}`)
    previous = text
  }
  return { parts, definitions }
}

/** A line that is not indented, below a blank one, begins a block, unless a list continues with it. */
function endsPart(length: number, previous: string, line: string): boolean {
  if (length < partLength || /^[ \t]/.test(line) || blank.test(line)) return false
  if (length >= maxPartLength) return !underline.test(line) && !line.startsWith('|')
  return blank.test(previous) && (!listItem.test(line) || length >= 2 * partLength)
}

const isHeadingText = (line: string): boolean =>
  !blank.test(line) && !/^(?: {4}|[ \t]*(?:>|\||#{1,6}[ \t]))/.test(line) && !listItem.test(line)

/** Renders the headings alone, so that equal ones in different parts get different anchors. */
function outlineOf(headings: readonly string[], origin: string): OutlineEntry[] {
  const body = Buffer.from(headings.join('\n\n'))
  return renderHtml({ body, mentions: [], origin, isPlain: false }, false).outline
}

function usedIn(text: string, definitions: ReadonlyMap<string, string>): string {
  const used = new Set<string>()
  let length = 0
  for (const [, name] of text.matchAll(/\[([^\][\\]+)\]/g)) {
    const line = definitions.get(name!.toLowerCase())
    if (line === undefined || used.has(line) || text.includes(line)) continue
    length += line.length
    if (length > maxDefinitionsLength) break
    used.add(line)
  }
  return used.size === 0 ? '' : `\n\n${[...used].join('\n\n')}\n`
}

function mentionsIn(
  mentions: readonly DisplayedMention[],
  body: string,
  start: number,
  text: string,
): DisplayedMention[] {
  if (mentions.length === 0) return []
  const base = Buffer.byteLength(body.slice(0, start))
  const end = base + Buffer.byteLength(text)
  return mentions
    .filter((mention) => mention.start >= base && mention.end <= end)
    .map((mention) => ({ ...mention, start: mention.start - base, end: mention.end - base }))
}
