import type { Nodes, Parents } from 'mdast'
import { displayedName, escapedName, type NameIndex } from './names.ts'
import type { MentionSpan } from './types.ts'

interface NameLookup {
  index: NameIndex
  known: ReadonlyMap<number, KnownMention>
}

export interface KnownMention {
  id: string
  name: string
  shown: string
}

const mentionable = /^(?:mem_[0-9a-z]{26}|__(?:here|channel|everyone)__)$/

/** A text that may contain mentions, or a link. Offsets are UTF-16 code units. */
export interface MentionableText {
  start: number
  end: number
  /** The end of the paragraph, heading or cell, which a name does not cross; null for a link. */
  limit: number | null
  /** The canonical mention that begins with the text's last character, if any. */
  canonical: MentionSpan | null
}

export function mentionableTexts(block: Nodes, source: string): MentionableText[] {
  const texts: MentionableText[] = []
  if ('children' in block) addMentionable(block, source.length, source, texts)
  return texts
}

function addMentionable(parent: Parents, above: number, source: string, texts: MentionableText[]): void {
  const isOneText = parent.type === 'paragraph' || parent.type === 'heading' || parent.type === 'tableCell'
  const limit = isOneText ? parent.position!.end.offset! : above
  const children = parent.children as Nodes[]
  for (const [index, node] of children.entries()) {
    if (node.type === 'text' || node.type === 'link') {
      const [start, end] = [node.position!.start.offset!, node.position!.end.offset!]
      if (!source.slice(start, end).includes('@')) continue
      const isText = node.type === 'text'
      const canonical = isText ? canonicalAt(source, end - 1, children[index + 1]) : null
      texts.push({ start, end, limit: isText ? limit : null, canonical })
    } else if ('children' in node && node.type !== 'linkReference') {
      addMentionable(node, limit, source, texts)
    }
  }
}

export function shiftMentionable(text: MentionableText, by: number): MentionableText {
  const { start, end, limit, canonical } = text
  return {
    start: start + by,
    end: end + by,
    limit: limit === null ? null : limit + by,
    canonical: canonical && shiftMention(canonical, by),
  }
}

/** `docs/interface.md#mentions`. Uses the source, since a text node's value does not show escapes. */
export function findMentions(texts: MentionableText[], source: string, bare: NameLookup): MentionSpan[] {
  return new MentionWalk(source, bare).walk(texts)
}

class MentionWalk {
  readonly #source: string
  readonly #bare: NameLookup
  readonly #found: MentionSpan[] = []
  #at: number
  /** The end of the last mention, which may be after its text node. */
  #end = 0

  constructor(source: string, bare: NameLookup) {
    this.#source = source
    this.#bare = bare
    this.#at = source.indexOf('@')
  }

  walk(texts: MentionableText[]): MentionSpan[] {
    for (const text of texts) {
      if (text.limit === null) this.#link(text)
      else this.#text(text, text.limit)
    }
    return this.#found
  }

  /** A mention that is displayed by its name may look like part of an address. */
  #link(link: MentionableText): void {
    for (const at of this.#candidatesIn(link)) this.#add(this.#knownAt(at))
  }

  #text(text: MentionableText, limit: number): void {
    for (const at of this.#candidatesIn(text)) {
      if (isEscaped(this.#source, at)) continue
      const canonical = text.canonical?.start === at ? text.canonical : null
      this.#add(canonical ?? this.#knownAt(at) ?? this.#bareAt(at, limit))
    }
  }

  #add(mention: MentionSpan | null): void {
    if (!mention) return
    this.#found.push(mention)
    this.#end = mention.end
  }

  *#candidatesIn({ start, end }: MentionableText): Generator<number> {
    this.#skipTo(Math.max(start, this.#end))
    while (this.#at !== -1 && this.#at < end) {
      yield this.#at
      this.#skipTo(Math.max(this.#at + 1, this.#end))
    }
  }

  #skipTo(offset: number): void {
    if (this.#at !== -1 && this.#at < offset) this.#at = this.#source.indexOf('@', offset)
  }

  #bareAt(at: number, limit: number): MentionSpan | null {
    if (followsWord(this.#source, at)) return null
    const person = this.#bare.index.longestAt(this.#source, at + 1, limit)
    if (!person || isInAddress(this.#source, at)) return null
    const { id, name } = person
    return { start: at, end: at + 1 + name.length, id, name, form: 'bare' }
  }

  #knownAt(at: number): MentionSpan | null {
    const known = this.#bare.known.get(at)
    if (!known) return null
    const { id, name, shown } = known
    return { start: at, end: at + 1 + shown.length, id, name, form: 'bare', isNameInFile: true }
  }
}

/** `@` directly followed by a link that is written exactly `[Name](id)`. */
function canonicalAt(source: string, at: number, next: Nodes | undefined): MentionSpan | null {
  if (next?.type !== 'link' || next.position!.start.offset !== at + 1 || !mentionable.test(next.url))
    return null
  if (source[at] !== '@') return null
  const end = next.position!.end.offset!
  const tail = `](${next.url})`
  const written = source.slice(at + 1, end)
  if (!written.startsWith('[') || !written.endsWith(tail)) return null
  const name = written.slice(1, -tail.length)
  if (name.trim() === '' || /[\r\n]/.test(name)) return null
  return { start: at, end, id: next.url, name, form: 'canonical' }
}

function isEscaped(source: string, at: number): boolean {
  let first = at
  while (source[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

function followsWord(source: string, at: number): boolean {
  return /[\p{L}\p{N}\p{M}]$/u.test(source.slice(Math.max(0, at - 2), at))
}

const maxAddressLength = 256

/** A mail address that begins with punctuation, or the path of an address that markdown does not link. */
function isInAddress(source: string, at: number): boolean {
  const before = /\S*$/.exec(source.slice(Math.max(0, at - maxAddressLength), at))![0]
  if (/[\w.+-]$/.test(before) && /^@[\w-]+(?:\.[\w-]+)+/.test(source.slice(at, at + maxAddressLength)))
    return true
  return /(?:^|[^\w+.-])(?:[a-z][a-z\d+.-]*:\/\/|[\w-]+(?:\.[\w-]+)+\/)\S*$/i.test(before)
}

export function shiftMention(mention: MentionSpan, by: number): MentionSpan {
  return { ...mention, start: mention.start + by, end: mention.end + by }
}

export interface MentioningText {
  text: string
  mentions: MentionSpan[]
}

export function canonicalizeMentions(
  { text, mentions }: MentioningText,
  isIncluded: (mention: MentionSpan) => boolean,
): MentioningText {
  let shift = 0
  const written: string[] = []
  const shifted = mentions.map((mention): MentionSpan => {
    const isRewritten = mention.form === 'bare' && isIncluded(mention)
    const { isNameInFile = false, ...rest } = mention
    const { start, end, id } = rest
    const name = isRewritten && !isNameInFile ? escapedName(rest.name) : rest.name
    const source = isRewritten ? `@[${name}](${id})` : text.slice(start, end)
    written.push(source)
    const span = { start: start + shift, end: start + shift + source.length }
    shift += source.length - (end - start)
    return { ...rest, ...span, name, form: isRewritten ? 'canonical' : rest.form }
  })
  return { text: splice(text, mentions, written), mentions: shifted }
}

export function displayMentions({ text, mentions }: MentioningText, names: Record<string, string>): string {
  const displayed = mentions.map((mention) => `@${displayedName(mention, names)}`)
  return splice(text, mentions, displayed)
}

function splice(text: string, mentions: MentionSpan[], written: string[]): string {
  let from = 0
  const parts = mentions.map(({ start, end }, index) => {
    const part = text.slice(from, start) + written[index]
    from = end
    return part
  })
  return parts.join('') + text.slice(from)
}
