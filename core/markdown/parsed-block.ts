import type { Root, RootContent } from 'mdast'
import { contentId } from './blocks.ts'
import { Definitions, externalLinks } from './external-links.ts'
import { type MentionableText, mentionableTexts, shiftMentionable } from './mentions.ts'
import type { Parsed } from './parse.ts'
import { findReferences } from './references.ts'
import { blockSearchText } from './search-text.ts'
import { plainText, titleText } from './title.ts'
import type { FoundReference } from './types.ts'

/** Independent of members, and cached by the block's text. Offsets are UTF-16 code units in the body. */
export interface ParsedBlock {
  contentId: string
  type: string
  heading: { depth: number; title: string | null } | null
  /** 1-based, inclusive. */
  lines: [start: number, end: number]
  offsets: [start: number, end: number]
  searchText: string
  links: string[]
  references: FoundReference[]
  mentionable: MentionableText[]
}

export function isTitleLevel({ heading }: ParsedBlock): boolean {
  return heading?.depth === 1
}

type Found = Pick<ParsedBlock, 'references' | 'mentionable'>

/** @throws RangeError if it nests too deep */
export function parseBlocksBy(
  parse: (body: string, inspect: (root: Root, source: string) => void) => Parsed,
  body: string,
): ParsedBlock[] {
  let found: Found[] = []
  const { nodes, base } = parse(body, (root, source) => {
    const references = findReferences(root, source)
    const mentions = source.includes('@')
    found = root.children.map((node, index) => ({
      references: references[index]!,
      mentionable: mentions ? mentionableTexts(node, source) : [],
    }))
  })
  // Text above the body was added to it.
  const added = found.length - nodes.length
  const definitions = new Definitions(nodes)
  const blocks = nodes.map((node, index) => parsedBlock(node, found[index + added]!, definitions))
  return base === 0 ? blocks : blocks.map((block) => shiftBlock(block, -base, -added))
}

function parsedBlock(node: RootContent, found: Found, definitions: Definitions): ParsedBlock {
  const { start, end } = node.position!
  return {
    contentId: contentId(node),
    type: node.type,
    heading: node.type === 'heading' ? { depth: node.depth, title: titleText(plainText(node)) } : null,
    lines: [start.line, end.line],
    offsets: [start.offset!, end.offset!],
    searchText: blockSearchText(node),
    links: externalLinks([node], definitions),
    ...found,
  }
}

export function shiftBlock(block: ParsedBlock, by: number, lines: number): ParsedBlock {
  return {
    ...block,
    lines: [block.lines[0] + lines, block.lines[1] + lines],
    offsets: [block.offsets[0] + by, block.offsets[1] + by],
    mentionable: block.mentionable.map((text) => shiftMentionable(text, by)),
  }
}
