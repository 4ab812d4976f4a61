import { shownName } from './index.ts'

/**
 * A mention as a message holds it: `@[Name](id)`, wherever it stands. The name holds no bracket, so that no character is
 * looked at for more than one `@[`: the time stays in proportion to the text, whatever is in it.
 */
const canonical = /@\[([^[\]\r\n]+)\]\((mem_[0-9a-z]{26}|__(?:here|channel|everyone)__)\)/g

/** How much of a message is shown where it is only spoken of, in characters (`docs/interface.md#limits`). */
const previewLength = 280

const isBlank = (name: string) => name.trim() === ''

/** The members and broadcasts that a text mentions, in order and without repeats: id to the name in the text. */
export function mentionsIn(body: string): Map<string, string> {
  const mentions = [...body.matchAll(canonical)].filter(([, name]) => !isBlank(name!))
  return new Map(mentions.map(([, name, id]) => [id!, name!]))
}

/** Ids of the members and broadcasts that a text mentions, in order and without repeats. */
export const mentionedIds = (body: string): string[] => [...mentionsIn(body).keys()]

/** The text as it is spoken: each mention as `@Name`. @param names present names by member id */
export const plainText = (body: string, names: Readonly<Record<string, string>>): string =>
  body.replace(canonical, (written: string, name: string, id: string) =>
    isBlank(name) ? written : `@${shownName({ id, name, form: 'canonical' }, names)}`,
  )

/** The text as it is spoken, and where in it (in bytes of UTF-8) the mentions stand. */
export function textWithMentionRanges(
  body: string,
  names: Readonly<Record<string, string>>,
): { text: string; mentions: { start: number; end: number; id: string }[] } {
  const mentions: { start: number; end: number; id: string }[] = []
  let text = ''
  let bytes = 0
  let from = 0
  const add = (part: string) => {
    text += part
    bytes += Buffer.byteLength(part)
  }
  for (const { 0: written, 1: name, 2: id, index } of body.matchAll(canonical)) {
    if (isBlank(name!)) continue
    add(body.slice(from, index))
    const start = bytes
    add(`@${shownName({ id: id!, name: name!, form: 'canonical' }, names)}`)
    mentions.push({ start, end: bytes, id: id! })
    from = index + written.length
  }
  add(body.slice(from))
  return { text, mentions }
}

/** The first 280 characters of the text as it is spoken. */
export const previewOf = (body: string, names: Readonly<Record<string, string>>): string =>
  excerptOf(body, names).text

/** The same, and whether that is all of it. */
export function excerptOf(
  body: string,
  names: Readonly<Record<string, string>>,
): { text: string; isWhole: boolean } {
  const whole = plainText(body, names)
  // A character has two UTF-16 code units at the most.
  const start = whole.slice(0, 2 * previewLength)
  const text = [...start].slice(0, previewLength).join('')
  return { text, isWhole: text.length === whole.length }
}
