import type { Definition, Link, LinkReference, Nodes, Parents, Root, Text } from 'mdast'
import { plainText } from './title.ts'
import type { FoundReference } from './types.ts'

export const maxReferences = 1000

const maxContextLength = 200
const contextBefore = 80

const maxDestinationLength = 300

/** A token is on one line. */
export const token = /\[\[[^[\]\r\n]{1,300}\]\]/g
export const maxTokenLength = 304

/** Links by top-level block. Uses the source, since a text node's value does not show escapes. */
export function findReferences(root: Root, source: string): FoundReference[][] {
  if (!source.includes('[')) return root.children.map(() => [])
  const walk = new ReferenceWalk(root, source)
  return root.children.map((node) => {
    const before = walk.found.length
    walk.block(node)
    return walk.found.slice(before)
  })
}

export const canHaveReferences = (source: string): boolean => source.includes('[[') || /\.md\b/i.test(source)

interface Mark {
  token: string
  at: number
}

interface Line {
  text: string
  marks: Mark[]
}

class ReferenceWalk {
  readonly found: FoundReference[] = []
  readonly #root: Root
  readonly #source: string
  #definitions: Map<string, string> | null = null

  constructor(root: Root, source: string) {
    this.#root = root
    this.#source = source
  }

  block(node: Nodes): void {
    if (this.found.length >= maxReferences || !('children' in node)) return
    if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableRow') this.#line(node)
    else for (const child of node.children) this.block(child)
  }

  #line(node: Parents): void {
    const line: Line = { text: '', marks: [] }
    this.#inline(node, line)
    const marks = line.marks.slice(0, maxReferences - this.found.length)
    for (const { token, at } of marks)
      this.found.push({ token, context: contextAround(line.text, at, token) })
  }

  #inline(parent: Parents, line: Line): void {
    for (const node of parent.children as Nodes[]) {
      if (node.type === 'text') this.#text(node, line)
      else if (node.type === 'link' || node.type === 'linkReference') this.#link(node, line)
      else if ('children' in node) this.#inline(node, line)
      else line.text += onOneLine(plainText(node))
      if (node.type === 'tableCell') line.text += ' '
    }
  }

  #text({ value, position }: Text, line: Line): void {
    const source = this.#source.slice(position!.start.offset, position!.end.offset)
    // Escapes make the source longer: a token's position in the text may be earlier by this much at most.
    const shift = source.length - value.length
    for (const { 0: written, index } of source.matchAll(token)) {
      if (isEscaped(source, index) || isEscaped(source, index + written.length - 2)) continue
      const isEmbed = source[index - 1] === '!' && !isEscaped(source, index - 1)
      const at = line.text.length + Math.max(0, value.indexOf('[[', index - shift))
      line.marks.push({ token: isEmbed ? `!${written}` : written, at })
    }
    line.text += onOneLine(value)
  }

  #link(node: Link | LinkReference, line: Line): void {
    const destination = node.type === 'link' ? node.url : this.#definitionOf(node)
    if (isPath(destination)) line.marks.push({ token: destination, at: line.text.length })
    line.text += onOneLine(plainText(node))
  }

  #definitionOf({ identifier }: LinkReference): string {
    this.#definitions ??= definitionsIn(this.#root)
    return this.#definitions.get(identifier) ?? ''
  }
}

export function isPath(destination: string): boolean {
  if (destination.length > maxDestinationLength || /^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(destination))
    return false
  return /^[^?#]+\.md(?:[?#]|$)/i.test(destination)
}

/** The first definition of a name counts. */
function definitionsIn(root: Root): Map<string, string> {
  const definitions = new Map<string, string>()
  const stack: Nodes[] = [root]
  const add = ({ identifier, url }: Definition) => {
    if (!definitions.has(identifier)) definitions.set(identifier, url)
  }
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === 'definition') add(node)
    if ('children' in node) for (const child of node.children.toReversed()) stack.push(child)
  }
  return definitions
}

export function isEscaped(source: string, at: number): boolean {
  let first = at
  while (source[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

/** Keeps the length, and so all positions. */
const onOneLine = (text: string) => text.replace(/\s/g, ' ')

function contextAround(line: string, at: number, { length }: string): string {
  if (line.length <= maxContextLength) return line.trim()
  const earliest = Math.max(0, Math.min(at - contextBefore, line.length - maxContextLength))
  const latest = Math.min(line.length, earliest + maxContextLength)
  const from = earliest === 0 ? 0 : boundary(line, earliest, at)
  const to = latest === line.length ? latest : line.lastIndexOf(' ', latest)
  const end = to >= Math.min(at + length, latest) ? to : latest
  const part = line.slice(from, end).replace(danglingSurrogate, '').trim()
  return `${from > 0 ? '…' : ''}${part}${end < line.length ? '…' : ''}`
}

const danglingSurrogate = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g

function boundary(line: string, from: number, at: number): number {
  const space = line.indexOf(' ', from)
  return space === -1 || space >= at ? from : space + 1
}
