import { displayedName, escapedName } from './names.ts'
import type { MentionSpan } from './types.ts'

/** A mention in a message: `@[Name](id)`. Names have no brackets, so that the time is linear. */
const canonical = /@\[([^[\]\r\n]+)\]\((mem_[0-9a-z]{26}|__(?:here|channel|everyone)__)\)/g

/** Characters of a message's preview (`docs/interface.md#limits`). */
const previewLength = 280

const isBlank = (name: string) => name.trim() === ''

/** Returns the names in the text by id, in order. */
export function mentionsIn(body: string): Map<string, string> {
  const mentions = [...body.matchAll(canonical)].filter(([, name]) => !isBlank(name!))
  return new Map(mentions.map(([, name, id]) => [id!, name!]))
}

export const mentionedIds = (body: string): string[] => [...mentionsIn(body).keys()]

/** The text with mentions as `@Name`. @param names current names by member id */
export const plainText = (body: string, names: Readonly<Record<string, string>>): string =>
  body.replace(canonical, (written: string, name: string, id: string) =>
    isBlank(name) ? written : `@${displayedName({ id, name, form: 'canonical' }, names)}`,
  )

/** Positions of mentions are in bytes of UTF-8. */
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
    add(`@${displayedName({ id: id!, name: name!, form: 'canonical' }, names)}`)
    mentions.push({ start, end: bytes, id: id! })
    from = index + written.length
  }
  add(body.slice(from))
  return { text, mentions }
}

export const previewOf = (body: string, names: Readonly<Record<string, string>>): string =>
  excerptOf(body, names).text

export function excerptOf(
  body: string,
  names: Readonly<Record<string, string>>,
): { text: string; isWhole: boolean } {
  const whole = plainText(body, names)
  const start = whole.slice(0, 2 * previewLength)
  const text = [...start].slice(0, previewLength).join('')
  return { text, isWhole: text.length === whole.length }
}

/** A text with its bare mentions in canonical form. @param mentions those of the text, in order */
export function withCanonicalMentions(text: Buffer, mentions: readonly MentionSpan[]): string {
  let from = 0
  const parts = mentions
    .filter(({ form }) => form === 'bare')
    .map(({ start, end, id, name }) => {
      const before = text.toString('utf8', from, start)
      from = end
      return `${before}@[${escapedName(name)}](${id})`
    })
  return parts.join('') + text.toString('utf8', from)
}
