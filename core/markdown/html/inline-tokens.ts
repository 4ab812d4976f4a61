import type { Literal, Nodes, RootContent, Text } from 'mdast'
import { isEscaped, token } from '../references.ts'

export interface Mention extends Literal {
  type: 'mention'
  member: string
}

export interface LinkToken extends Literal {
  type: 'token'
}

declare module 'mdast' {
  interface PhrasingContentMap {
    mention: Mention
    token: LinkToken
  }
  interface RootContentMap {
    mention: Mention
    token: LinkToken
  }
}

export interface PlacedMention {
  start: number
  end: number
  id: string
}

interface InlineToken {
  start: number
  end: number
  node: Mention | LinkToken
}

/** Returns copies in which mentions and tokens are nodes, since ids depend on the originals' content. */
export function splitInlineTokens(
  nodes: RootContent[],
  source: string,
  mentions: PlacedMention[],
): Map<RootContent, RootContent> {
  const marked = new Map<RootContent, RootContent>()
  const walk = new TokenWalk(source, mentions)
  for (const node of nodes) {
    if (walk.canHaveTokens(node)) marked.set(node, walk.marked(structuredClone(node)))
  }
  return marked
}

class TokenWalk {
  readonly #source: string
  readonly #mentions: PlacedMention[]
  #next = 0

  constructor(source: string, mentions: PlacedMention[]) {
    this.#source = source
    this.#mentions = mentions
  }

  canHaveTokens({ position }: Nodes): boolean {
    const [start, end] = [position!.start.offset!, position!.end.offset!]
    this.#skipTo(start)
    const mention = this.#mentions[this.#next]
    return (mention !== undefined && mention.start < end) || this.#source.slice(start, end).includes('[[')
  }

  marked<Node extends Nodes>(node: Node): Node {
    if (!('children' in node) || node.type === 'link' || node.type === 'linkReference') return node
    const children = node.children as Nodes[]
    node.children = children.flatMap((child) =>
      child.type === 'text' ? this.#split(child) : [this.marked(child)],
    ) as typeof node.children
    return node
  }

  #split(text: Text): Nodes[] {
    const { value } = text
    const parts: Nodes[] = []
    let from = 0
    for (const { start, end, node } of this.#marksIn(text)) {
      if (start < from) continue
      if (start > from) parts.push({ type: 'text', value: value.slice(from, start) })
      parts.push(node)
      from = end
    }
    if (from === 0) return [text]
    if (from < value.length) parts.push({ type: 'text', value: value.slice(from) })
    return parts
  }

  #marksIn(text: Text): InlineToken[] {
    const marks = [...this.#mentionsIn(text), ...this.#tokensIn(text)]
    return marks.sort((one, other) => one.start - other.start)
  }

  *#mentionsIn({ value, position }: Text): Generator<InlineToken> {
    const [from, to] = [position!.start.offset!, position!.end.offset!]
    this.#skipTo(from)
    if (!this.#hasMentionBefore(to)) return
    const offsets = offsetsIn(value, this.#source.slice(from, to), mentionSigns)
    while (this.#hasMentionBefore(to)) {
      const { start, end, id } = this.#mentions[this.#next++]!
      const written = this.#source.slice(start, end)
      const offset = offsets.get(start - from)
      // A name with markup in it is not one text, and stays as parsed.
      if (offset === undefined || !value.startsWith(written, offset)) continue
      yield {
        start: offset,
        end: offset + written.length,
        node: { type: 'mention', value: written, member: id },
      }
    }
  }

  *#tokensIn({ value, position }: Text): Generator<InlineToken> {
    const source = this.#source.slice(position!.start.offset, position!.end.offset)
    if (!source.includes('[[')) return
    const offsets = offsetsIn(value, source, bracketSigns)
    for (const { 0: written, index } of source.matchAll(token)) {
      if (isEscaped(source, index) || isEscaped(source, index + written.length - 2)) continue
      const offset = offsets.get(index)
      const end = offset === undefined ? -1 : value.indexOf(']]', offset) + 2
      if (offset === undefined || end < offset + 4) continue
      const isEmbed = source[index - 1] === '!' && !isEscaped(source, index - 1) && value[offset - 1] === '!'
      const node: LinkToken = { type: 'token', value: isEmbed ? `!${written}` : written }
      yield { start: isEmbed ? offset - 1 : offset, end, node }
    }
  }

  #hasMentionBefore(end: number): boolean {
    const mention = this.#mentions[this.#next]
    return mention !== undefined && mention.start < end
  }

  #skipTo(offset: number): void {
    while (this.#hasMentionBefore(offset)) this.#next++
  }
}

interface TokenStart {
  character: string
  written: RegExp
}

const mentionSigns: TokenStart = { character: '@', written: /@|&(?:commat|#0*64|#x0*40);/gi }
const bracketSigns: TokenStart = { character: '[', written: /\[|&(?:lbrack|lsqb|#0*91|#x0*5b);/gi }

/** Maps positions of marks in the source to the value, which lacks escapes; empty if they are ambiguous. */
function offsetsIn(value: string, source: string, { character, written }: TokenStart): Map<number, number> {
  const inSource = [...source.matchAll(written)].map(({ index }) => index)
  const inValue: number[] = []
  for (let at = value.indexOf(character); at !== -1; at = value.indexOf(character, at + 1)) inValue.push(at)
  return inSource.length === inValue.length
    ? new Map(inSource.map((at, order) => [at, inValue[order]!]))
    : new Map()
}
