import type { RevisionContent } from '../documents/catalogue/revision-contents.ts'
import { displayedText } from '../markdown/index.ts'
import { broadcastIds } from './audience.ts'

const contextBefore = 120
const contextAfter = 160

/** Longer text is not searched. */
const maxSearchedBytes = 4 * (contextBefore + contextAfter)

const blankLine = /\r?\n[ \t]*\r?\n/g

/** The text around a mention by name, or else a broadcast. Null if no mention is left. */
export function postExcerpt(
  { stored, digest }: RevisionContent,
  memberId: string,
  { title, names }: { title: string; names: Record<string, string> },
): string | null {
  const { body, mentions } = displayedText({ stored, digest, title, names })
  const isBroadcast = (id: string) => broadcastIds.some((broadcast) => broadcast === id)
  const mention = mentions.find(({ id }) => id === memberId) ?? mentions.find(({ id }) => isBroadcast(id))
  if (!mention) return null
  const { start } = mention
  const before = wholeCharacters(body.subarray(Math.max(0, start - maxSearchedBytes), start)).replace(
    /^\uFFFD+/,
    '',
  )
  const after = wholeCharacters(body.subarray(start, start + maxSearchedBytes)).replace(/\uFFFD+$/, '')
  const paragraphStart = [...before.matchAll(blankLine)].at(-1)
  const inParagraph = paragraphStart ? before.slice(paragraphStart.index + paragraphStart[0].length) : before
  const paragraphEnd = after.search(blankLine)
  const paragraphRest = paragraphEnd === -1 ? after : after.slice(0, paragraphEnd)
  const [head, tail] = [[...inParagraph.trimStart()], [...paragraphRest.trimEnd()]]
  const isCutBefore = head.length > contextBefore || (!paragraphStart && start > maxSearchedBytes)
  const isCutAfter = tail.length > contextAfter
  const text = [...head.slice(-contextBefore), ...tail.slice(0, contextAfter)].join('')
  return `${isCutBefore ? '…' : ''}${text}${isCutAfter ? '…' : ''}`
}

const wholeCharacters = (bytes: Buffer): string => bytes.toString('utf8')
