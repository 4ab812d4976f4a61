import { hash } from 'node:crypto'
import type { RootContent } from 'mdast'

/** A top-level node with its id. Offsets are UTF-16 code units in the parsed text. */
export interface Block {
  id: string
  type: string
  /** 1-based, inclusive. */
  lines: [start: number, end: number]
  offsets: [start: number, end: number]
  node: RootContent
}

export interface BlockFingerprint {
  id: string
  type: string
}

const crockford = '0123456789abcdefghjkmnpqrstvwxyz'

export function blocksOf(nodes: RootContent[]): Block[] {
  const ids = blockIds(nodes.map(contentId))
  return nodes.map((node, index) => {
    const { start, end } = node.position!
    return {
      id: ids[index]!,
      type: node.type,
      lines: [start.line, end.line],
      offsets: [start.offset!, end.offset!],
      node,
    }
  })
}

/** Numbers equal content ids, in order. */
export function blockIds(contentIds: string[]): string[] {
  const occurrences = new Map<string, number>()
  return contentIds.map((content) => {
    const occurrence = (occurrences.get(content) ?? 0) + 1
    occurrences.set(content, occurrence)
    return occurrence === 1 ? content : `${content}.${occurrence}`
  })
}

/**
 * Makes blocks disjoint. mdast counts definitions above an underlined heading as part of it, and the line end
 * after an open fence as part of its list or quote, where a replacement would not stay on its own lines.
 */
export function withoutOverlaps(blocks: Block[], source: string): Block[] {
  const clipped: Block[] = []
  for (const block of blocks) {
    const above = clipped.at(-1)
    const trimmed = above && block.offsets[0] < above.offsets[1] ? startAfter(block, above, source) : block
    if (above && above.lines[1] >= trimmed.lines[0])
      clipped[clipped.length - 1] = endBefore(above, trimmed, source)
    clipped.push(trimmed)
  }
  return clipped
}

function startAfter(block: Block, { lines, offsets }: Block, source: string): Block {
  const space = /^[ \t\r\n]*/.exec(source.slice(offsets[1], block.offsets[1]))![0]
  const lineEnds = space.match(/\r\n|\n|\r/g)?.length ?? 0
  return {
    ...block,
    lines: [lines[1] + lineEnds, block.lines[1]],
    offsets: [offsets[1] + space.length, block.offsets[1]],
  }
}

function endBefore(block: Block, below: Block, source: string): Block {
  const [start, end] = block.offsets
  const text = source.slice(start, end).replace(/(?:\r\n|\n|\r)[^\r\n]*$/, '')
  return { ...block, lines: [block.lines[0], below.lines[0] - 1], offsets: [start, start + text.length] }
}

function titleIndex(nodes: RootContent[]): number {
  return nodes.findIndex(isLevelOne)
}

function isLevelOne(node: RootContent): boolean {
  return node.type === 'heading' && node.depth === 1
}

/** Whether a block of a read, by index, is the author's own: the first fence and the title are not. */
export function writableFlags(nodes: RootContent[]): (index: number) => boolean {
  const title = titleIndex(nodes)
  return (index) => index !== title && !(index === 0 && nodes[0]!.type === 'yaml')
}

/** Nodes parsed for analysis may be rendered as well (`parse-cache.ts`): their ids stay. */
const cachedIds = new WeakMap<RootContent, string>()

/** `k` and 35 bits of the SHA-256 of the node's JSON without positions, as seven Crockford characters. */
export function contentId(node: RootContent): string {
  const cached = cachedIds.get(node)
  if (cached !== undefined) return cached
  const json = jsonWithoutPositions(node)!
  let bits = Math.floor(Number.parseInt(hash('sha256', json).slice(0, 10), 16) / 32)
  let characters = ''
  for (let index = 0; index < 7; index++) {
    characters = crockford[bits % 32]! + characters
    bits = Math.floor(bits / 32)
  }
  const id = `k${characters}`
  cachedIds.set(node, id)
  return id
}

/** As `JSON.stringify` with a replacer that leaves positions out, which takes three times as long. */
function jsonWithoutPositions(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => jsonWithoutPositions(item) ?? 'null').join()}]`
  let members = ''
  for (const [key, member] of Object.entries(value)) {
    const json = key === 'position' ? undefined : jsonWithoutPositions(member)
    if (json !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${json}`
  }
  return `{${members}}`
}
