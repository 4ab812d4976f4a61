import type { Element, Root as HtmlRoot } from 'hast'
import { sanitize } from 'hast-util-sanitize'
import { toHtml } from 'hast-util-to-html'
import type { Root, RootContent } from 'mdast'
import { toHast } from 'mdast-util-to-hast'
import { escapeHtml } from '../../text/escape-html.ts'
import { decode } from '../analyse.ts'
import { blockIds, contentId } from '../blocks.ts'
import { externalLinks } from '../external-links.ts'
import { autolink } from '../parse.ts'
import { type BodyPart, parseForDisplay } from '../parse-for-display.ts'
import type { DisplayedMention, Html, HtmlRequest, Slot } from '../types.ts'
import { headingsOf } from '../views.ts'
import { type DisplayedBlock, footnotePrefix, type RenderContext } from './context.ts'
import { handlersFor } from './handlers.ts'
import { CodeHighlighter } from './highlighting.ts'
import { type PlacedMention, splitInlineTokens } from './inline-tokens.ts'
import { schema } from './schema.ts'

/** The HTML runs nothing and tells no other site who reads it. @throws RangeError if too deep */
export function renderHtml(request: HtmlRequest, isColoured: boolean): Html {
  if (request.isPlain) return renderPlain(request)
  const { blocks, nodes, definitions } = displayedBlocks(request)
  const headings = headingsOf(blocks, request.earlierHeadings)
  const page: RenderContext = {
    origin: request.origin,
    nodes,
    blocks: new Map(blocks.map((block, index) => [nodes[index]!, block])),
    headings,
    isMessage: request.isMessage ?? false,
    highlighter: isColoured ? new CodeHighlighter() : null,
    slots: [],
    diagrams: [],
  }
  const tree = toHast(definitions, {
    handlers: handlersFor(page),
    clobberPrefix: footnotePrefix,
    footnoteLabelProperties: {},
  }) as HtmlRoot
  nameFootnotes(tree)
  return {
    ...splitAtSlots(toHtml(sanitize(tree, schema)).trim(), page.slots),
    diagrams: page.diagrams,
    outline: [...headings].map(([{ id }, { depth, text, anchor }]) => ({ depth, text, anchor, id })),
    isPlain: false,
    ...(page.isMessage && { links: externalLinks(nodes) }),
  }
}

function renderPlain({ body }: HtmlRequest): Html {
  const shown = `<pre class="plain" dir="auto" tabindex="0">\n${escapeHtml(decode(body))}</pre>`
  return { parts: [shown], slots: [], diagrams: [], outline: [], isPlain: true }
}

function displayedBlocks({ body, mentions, isMessage }: HtmlRequest): {
  blocks: DisplayedBlock[]
  nodes: RootContent[]
  definitions: Root
} {
  const parts = parseForDisplay(Buffer.from(body.buffer, body.byteOffset, body.length).toString())
  const placed = inCodeUnits(mentions, body)
  const marked = parts.map((part, index) => markedNodes(part, placed, parts[index + 1]?.start ?? Infinity))
  const originals = parts.flatMap(({ nodes }) => nodes)
  const ids = isMessage ? [] : blockIds(originals.map(contentId))
  return {
    blocks: ids.map((id, index) => ({ id, node: originals[index]! })),
    nodes: marked.flat(),
    definitions: {
      type: 'root',
      children: parts.flatMap(({ source }, index) => definitionsIn(marked[index]!, source)),
    },
  }
}

/** Definitions of links and footnotes. Passing only these to the library saves a seventh of the time. */
function definitionsIn(nodes: RootContent[], source: string): RootContent[] {
  return nodes.filter(({ position }) =>
    source.slice(position!.start.offset, position!.end.offset).includes(']:'),
  )
}

function markedNodes(
  { nodes, source, base, start, unlinked }: BodyPart,
  mentions: PlacedMention[],
  end: number,
): RootContent[] {
  const inPart = mentions
    .filter((mention) => mention.start >= start && mention.start < end)
    .map((mention) => ({
      ...mention,
      start: mention.start - start + base,
      end: mention.end - start + base,
    }))
  const markable = nodes.map((node) => unlinked.get(node) ?? node)
  const markedOf = splitInlineTokens(markable, source, inPart)
  autolink([...markedOf.values()])
  // Equal parts share their nodes, but each node of a page is another block.
  return nodes.map((node, index) => markedOf.get(markable[index]!) ?? { ...node })
}

function inCodeUnits(mentions: DisplayedMention[], body: Uint8Array): PlacedMention[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  let [offset, units] = [0, 0]
  const unitOffset = (to: number) => {
    units += bytes.toString('utf8', offset, to).length
    offset = to
    return units
  }
  return mentions.map(({ start, end, id }) => ({ start: unitOffset(start), end: unitOffset(end), id }))
}

/** The label of the footnotes gets an id that no heading can have. */
function nameFootnotes({ children }: HtmlRoot): void {
  const footnotes = children.at(-1)
  if (footnotes?.type !== 'element' || footnotes.tagName !== 'section') return
  const [label] = footnotes.children as [Element]
  label.properties.id = `${footnotePrefix}label`
}

/** Cannot occur in rendered text, which has no `<`, or in an attribute, which has no `"`. */
const slotTag = /<(?:a|img) data-slot="(\d+)"(?: dir="auto")?>/

/** @param slots by number, which is not their order in the text: those within a link come first */
function splitAtSlots(html: string, slots: Slot[]): Pick<Html, 'parts' | 'slots'> {
  const pieces = html.split(slotTag)
  return {
    parts: pieces.filter((_, index) => index % 2 === 0),
    slots: pieces.filter((_, index) => index % 2 === 1).map((number) => slots[Number(number)]!),
  }
}
