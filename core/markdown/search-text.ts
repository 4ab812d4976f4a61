import type { Nodes } from 'mdast'

const maxTextLength = 200_000

/** Inline nodes share a line with their neighbours; all others have their own. */
const inline = new Set<Nodes['type']>([
  'text',
  'emphasis',
  'strong',
  'delete',
  'inlineCode',
  'link',
  'linkReference',
  'image',
  'imageReference',
])

/** What is displayed below the title, and the fields. @param blockTexts `blockSearchText` of each block */
export function searchText(blockTexts: string[], fields: Record<string, unknown>): string {
  const text = new BoundedText()
  for (const part of blockTexts) text.add(part)
  addValues(fields, text)
  return text.toString().trimEnd()
}

export function blockSearchText(node: Nodes): string {
  const text = new BoundedText()
  addNode(node, text)
  return text.toString()
}

export const plainSearchText = (body: string): string => body.slice(0, maxTextLength)

class BoundedText {
  #text = ''

  get isFull(): boolean {
    return this.#text.length >= maxTextLength
  }

  add(piece: string): void {
    if (!this.isFull) this.#text += piece
  }

  toString(): string {
    return this.#text.slice(0, maxTextLength)
  }
}

function addNode(node: Nodes, text: BoundedText): void {
  if (text.isFull) return
  if ('children' in node) for (const child of node.children) addNode(child, text)
  else if (node.type === 'image' || node.type === 'imageReference') text.add(node.alt ?? '')
  else if (node.type === 'html') text.add(withoutTags(node.value))
  else if ('value' in node) text.add(node.value)
  if (!inline.has(node.type)) text.add('\n')
}

/** An unclosed comment continues to the end. */
const withoutTags = (html: string): string =>
  html.replace(/<!--.*?(?:-->|$)/gs, ' ').replace(/<[^<>]*>/g, ' ')

function addValues(value: unknown, text: BoundedText): void {
  if (text.isFull) return
  if (typeof value === 'string' || typeof value === 'number') text.add(`${value}\n`)
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addValues(inner, text)
}
