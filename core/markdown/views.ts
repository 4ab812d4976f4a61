import GithubSlugger from 'github-slugger'
import type { Table, TableCell } from 'mdast'
import { type Block, blocksOf, withoutOverlaps, writableFlags } from './blocks.ts'
import { parseFile } from './parse.ts'
import { plainText, titleText } from './title.ts'
import type { BlockSummary, Heading, ViewRequest } from './types.ts'

const maxPreviewLength = 80

const note =
  'A block whose writable is true can be replaced with PUT ?block=<id>; the others are the envelope of the read. ' +
  'lines (1-based, inclusive) and offsets (UTF-16 code units) are places in the markdown at canonical and cover ' +
  'the whole block, also where its text is shortened.'

/** A view as JSON (`docs/interface.md#reading-a-file`). @throws RangeError if the file nests too deep */
export function renderView({ view, read, canonical, document }: ViewRequest): string {
  const { source, blocks } = blocksOfRead(read)
  const headings = headingsOf(blocks)
  if (view === 'blocks') {
    const shown = blocks.map((block) => shownBlock(block, headings.get(block), source))
    return JSON.stringify({ canonical, note, document, blocks: shown })
  }
  const outline = [...headings].map(([{ id, writable, lines }, { depth, text, anchor }]) => {
    return { id, writable, depth, text, anchor, lines }
  })
  return JSON.stringify({ canonical, headings: outline })
}

/** @throws RangeError if the text nests too deep */
export function headingsIn(text: Uint8Array): Heading[] {
  const headings = [...headingsOf(blocksOfRead(text).blocks)]
  return headings.map(([{ lines }, { depth, text }]) => ({ depth, text, lines }))
}

interface ViewBlock extends Block {
  writable: boolean
}

export function blocksOfRead(read: Uint8Array): { source: string; blocks: ViewBlock[] } {
  const { source, nodes } = parseFile(Buffer.from(read.buffer, read.byteOffset, read.length).toString())
  const isWritable = writableFlags(nodes)
  return {
    source,
    blocks: withoutOverlaps(blocksOf(nodes), source).map((block, index) => ({
      ...block,
      writable: isWritable(index),
    })),
  }
}

export function blockSummary(
  { id, writable, type, lines, offsets }: ViewBlock,
  source: string,
): BlockSummary {
  const [start, end] = offsets
  const line = source.slice(start, Math.min(end, start + 8 * maxPreviewLength)).replace(/\s+/g, ' ')
  return { id, writable, type, lines, preview: [...line.trim()].slice(0, maxPreviewLength).join('') }
}

export interface HeadingView {
  depth: number
  text: string
  anchor: string
}

/** Equal headings have different anchors. @param earlier texts of headings before these blocks */
export function headingsOf<OneBlock extends Pick<Block, 'node'>>(
  blocks: OneBlock[],
  earlier: readonly string[] = [],
): Map<OneBlock, HeadingView> {
  const slugger = new GithubSlugger()
  for (const text of earlier) slugger.slug(text)
  const headings = new Map<OneBlock, HeadingView>()
  for (const block of blocks) {
    if (block.node.type !== 'heading') continue
    const text = titleText(plainText(block.node)) ?? ''
    headings.set(block, { depth: block.node.depth, text, anchor: slugger.slug(text) })
  }
  return headings
}

function shownBlock(block: ViewBlock, heading: HeadingView | undefined, source: string) {
  const { id, writable, type, lines, offsets, node } = block
  const text = shortenData(source.slice(...offsets))
  return {
    id,
    writable,
    type,
    ...(heading && { depth: heading.depth, anchor: heading.anchor }),
    lines,
    offsets,
    text: node.type === 'code' ? shortenFence(text) : text,
    ...(node.type === 'table' && tableOf(node, source)),
  }
}

function tableOf({ children: [header, ...body] }: Table, source: string) {
  return {
    columns: header?.children.map((cell) => cellText(cell, source)) ?? [],
    cells: body.flatMap(({ children }, row) =>
      children.map((cell, col) => ({ row, col, text: cellText(cell, source) })),
    ),
  }
}

function cellText({ position }: TableCell, source: string): string {
  const cell = source.slice(position!.start.offset, position!.end.offset)
  return shortenData(
    cell
      .replace(/^\|/, '')
      .replace(/(?<!\\)\|$/, '')
      .trim(),
  )
}

/** Longer fenced code is shortened in views. */
const maxFenceLength = 2048

const dataAddress =
  /(?<![\w])(data:(?:[\w.+-]{1,64}\/[\w.+-]{1,64})?(?:;[\w.+-]{1,64}(?:=[\w.+-]{1,64})?){0,8},)([^\s"<>()`\]|]+)/gi

/** Keeps the prefix of `data:` URLs and says how much is omitted. */
function shortenData(text: string): string {
  return text.replace(dataAddress, (_, prefix: string, payload: string) => prefix + elided(payload.length))
}

function shortenFence(text: string): string {
  if (text.length <= maxFenceLength || !/^(?:`{3}|~{3})/.test(text)) return text
  const infoLine = text.search(/[\r\n]/)
  const end = wholeCharacters(text, Math.max(maxFenceLength, infoLine))
  return text.slice(0, end) + (end < text.length ? elided(text.length - end) : '')
}

/** Never splits a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end
}

function elided(characters: number): string {
  return `… (${characters} characters elided)`
}
