import type { RevisionContent } from '../documents/catalogue/revision-contents.ts'
import { displayedText } from '../markdown/index.ts'
import { broadcastIds } from './audience.ts'

/** So much of the text is shown before a mention, and so much from it on, in characters (code points). */
const contextBefore = 120
const contextAfter = 160

/** Of a longer stretch of text, in bytes, nothing is looked at. */
const maxSearchedBytes = 4 * (contextBefore + contextAfter)

const blankLine = /\r?\n[ \t]*\r?\n/g

/**
 * The part of a post's text in which somebody is mentioned, as it is spoken: within the paragraph of the first mention
 * that names them, or else of the first broadcast. `…` stands where that goes on.
 * @param title of the post
 * @param names present names by member id
 * @returns null where nothing in the text mentions them any more
 */
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
  const from = wholeCharacters(body.subarray(start, start + maxSearchedBytes)).replace(/\uFFFD+$/, '')
  const paragraphStart = [...before.matchAll(blankLine)].at(-1)
  const inParagraph = paragraphStart ? before.slice(paragraphStart.index + paragraphStart[0].length) : before
  const paragraphEnd = from.search(blankLine)
  const restOfIt = paragraphEnd === -1 ? from : from.slice(0, paragraphEnd)
  const [head, tail] = [[...inParagraph.trimStart()], [...restOfIt.trimEnd()]]
  const isCutBefore = head.length > contextBefore || (!paragraphStart && start > maxSearchedBytes)
  const isCutBehind = tail.length > contextAfter
  const text = [...head.slice(-contextBefore), ...tail.slice(0, contextAfter)].join('')
  return `${isCutBefore ? '…' : ''}${text}${isCutBehind ? '…' : ''}`
}

const wholeCharacters = (bytes: Buffer): string => bytes.toString('utf8')
