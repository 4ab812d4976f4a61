import { compress, packText } from '../../data/compression.ts'
import { revisionOf } from '../revisions/revision.ts'
import { type Alignment, align } from './align.ts'
import type { BlockFingerprint } from './blocks.ts'
import { contentError } from './content-error.ts'
import { firstLinks } from './external-links.ts'
import {
  canonicalizeMentions,
  displayMentions,
  findMentions,
  type MentioningText,
  shiftMention,
} from './mentions.ts'
import { NameIndex } from './names.ts'
import { parseBlocks } from './parse-blocks.ts'
import type { ParseInput } from './parse-input.ts'
import { isTitleLevel, type ParsedBlock } from './parsed-block.ts'
import { knownMentions, ownBlocks, previousOwnBlocks } from './previous-version.ts'
import { canHaveReferences, maxReferences } from './references.ts'
import { plainSearchText, searchText } from './search-text.ts'
import { mentionedNames, storeBlocks } from './stored-blocks.ts'
import { frontmatterTitle, plainTitle, truncateTitle } from './title.ts'
import type {
  Analysis,
  ContentError,
  MentionSpan,
  ParsedContent,
  PlainReason,
  PreviousVersion,
} from './types.ts'

/** Further mentions stay as written: a read does not show them as `@Name`. */
const maxMentions = 1000

/** Placeholder for the title of a new file, whose name only the caller knows. */
const anyFileName = 'file'

/** A file that nests too deep becomes plain text. @param plain skips parsing, in linear time */
export function analyseInput(draft: ParseInput, plain: PlainReason | null): Analysis | ContentError {
  if (plain) return analysePlain(draft, plain)
  try {
    return analyseMarkdown(draft)
  } catch (error) {
    if (error instanceof RangeError) return analysePlain(draft, 'depth')
    throw error
  }
}

function analyseMarkdown(draft: ParseInput): Analysis | ContentError {
  const { before, names } = draft
  const parsed = parseInput(draft)
  const added = removesAddedHeading(draft, parsed) ? draft.addedHeading : 0
  const sent = draft.body.slice(added)
  const [from, to] = draft.canonicalIn ?? [0, 0]
  const written = canonicalizeMentions(
    {
      text: sent,
      mentions: parsed.mentions
        .filter(({ start }) => start >= added)
        .map((mention) => shiftMention(mention, -added)),
    },
    ({ start }) => start + added >= from && start + added < to,
  )
  const spans = written.mentions.slice(0, maxMentions)
  const displayed = displayMentions({ text: written.text, mentions: spans }, names)
  // What a dropped heading links to is unknown, so that such a file is parsed again.
  const isParsed = displayed === sent && (added === 0 || !canHaveReferences(draft.body))
  const { blocks, references } = isParsed
    ? { blocks: parsed.blocks.slice(added ? 1 : 0), references: parsed.references }
    : parseWithReferences(displayed)

  const heading = blocks.find(isTitleLevel)
  const titles = titlesOf(heading?.heading?.title ?? null, draft)
  const problem = titleProblem(titles.title, draft, added > 0)
  if (problem) return problem

  const { text: frontmatterText, frontmatter } = draft.buildFrontmatter(written.text)
  const own = ownBlocks(displayed, blocks, titles, titles.title ?? before?.title ?? anyFileName)
  const digest: ParsedContent = {
    ...titles,
    frontmatter,
    mentions: inBytes({ text: written.text, mentions: spans }, Buffer.byteLength(frontmatterText)),
    links: firstLinks(blocks.map(({ links }) => links)),
    blocks: storeBlocks(own),
    blockNames: mentionedNames(spans, names),
    plain: null,
  }
  const below = titles.titleSource === 'heading' ? blocks.filter((block) => block !== heading) : blocks
  const texts = below.map((block) => block.searchText)
  const text = searchText(texts, titles.titleSource === 'heading' ? draft.fields : withoutTitle(draft.fields))
  return finishAnalysis(
    draft.fixedMentions ?? Buffer.from(frontmatterText + written.text),
    digest,
    { references, searchText: text },
    ...compare(before, own, names),
  )
}

/** Keeps a file as plain text (`docs/markdown.md#on-the-disk`). */
function analysePlain(draft: ParseInput, plain: PlainReason): Analysis | ContentError {
  const rest = draft.body.slice(draft.addedHeading)
  const added = draft.addedHeading > 0 && keepsTitle(draft, plainTitle(rest)) ? draft.addedHeading : 0
  const body = draft.body.slice(added)
  const titles = titlesOf(plainTitle(body), draft)
  const problem = titleProblem(titles.title, draft, added > 0)
  if (problem) return problem
  const { text: frontmatterText, frontmatter } = draft.buildFrontmatter(body)
  const digest: ParsedContent = {
    ...titles,
    frontmatter,
    mentions: [],
    links: [],
    blocks: null,
    blockNames: {},
    plain,
  }
  return finishAnalysis(
    draft.fixedMentions ?? Buffer.from(frontmatterText + body),
    digest,
    { references: [], searchText: plainSearchText(body) },
    ...noAlignment,
  )
}

const withoutTitle = ({ title: _, ...others }: Record<string, unknown>) => others

function removesAddedHeading(draft: ParseInput, { blocks }: ParsedWithReferences): boolean {
  if (draft.addedHeading === 0) return false
  const next = blocks.slice(1).find(isTitleLevel)
  return keepsTitle(draft, next?.heading?.title ?? null)
}

/** Whether the title is unchanged without the heading that a read added. */
function keepsTitle({ before, fields }: ParseInput, nextHeading: string | null): boolean {
  if (nextHeading !== null) return false
  const title = frontmatterTitle(fields)
  return before!.digest.titleSource === null
    ? title === null
    : title !== null && truncateTitle(title) === before!.title
}

function titlesOf(
  heading: string | null,
  { fields }: ParseInput,
): Pick<ParsedContent, 'title' | 'titleSource'> {
  const title = heading ?? frontmatterTitle(fields)
  const titleSource = heading !== null ? 'heading' : title !== null ? 'frontmatter' : null
  return { title: title && truncateTitle(title), titleSource }
}

function titleProblem(
  title: string | null,
  { title: rule }: ParseInput,
  isGiven: boolean,
): ContentError | null {
  if (title === null && rule === 'needed' && !isGiven) {
    return contentError(
      'The file needs a title: begin it with `# Title`, or give it a `title` in its frontmatter.',
    )
  }
  return null
}

function inBytes({ text, mentions }: MentioningText, base: number): MentionSpan[] {
  let [offset, bytes] = [0, base]
  const byteOffset = (to: number) => {
    bytes += Buffer.byteLength(text.slice(offset, to))
    offset = to
    return bytes
  }
  return mentions.map((mention) => ({
    ...mention,
    start: byteOffset(mention.start),
    end: byteOffset(mention.end),
  }))
}

type BlockComparison = [blockIds: Analysis['blockIds'], rebinding: Alignment['rebinding']]

const noAlignment: BlockComparison = [{ rebound: 0, orphaned: 0, total: 0 }, {}]

function compare(
  before: PreviousVersion | null,
  own: BlockFingerprint[],
  names: Record<string, string>,
): BlockComparison {
  const blocks = before ? previousOwnBlocks(before, names) : []
  if (blocks === null) return noAlignment
  const { rebound, orphaned, rebinding } = align(blocks, own)
  return [{ rebound, orphaned, total: blocks.length }, rebinding]
}

export function finishAnalysis(
  stored: Uint8Array,
  digest: ParsedContent,
  extracted: Pick<Analysis, 'references' | 'searchText'>,
  ...[blockIds, rebinding]: BlockComparison
): Analysis {
  const revision = revisionOf(stored)
  return {
    kind: 'analysis',
    stored,
    revision,
    compressed: compress(stored),
    packedText: packText(
      { text: extracted.searchText, contexts: extracted.references.map(({ context }) => context) },
      stored,
    ),
    digest,
    blockIds,
    rebinding,
    ...extracted,
  }
}

interface ParsedWithReferences extends Pick<Analysis, 'references'> {
  blocks: ParsedBlock[]
}

function parseWithReferences(body: string): ParsedWithReferences {
  const blocks = parseBlocks(body)
  const references = canHaveReferences(body) ? blocks.flatMap((block) => block.references) : []
  return { blocks, references: references.slice(0, maxReferences) }
}

/** With the mentions of a file. @throws RangeError if it nests too deep */
function parseInput(draft: ParseInput): ParsedWithReferences & { mentions: MentionSpan[] } {
  const linking = parseWithReferences(draft.body)
  return { ...linking, mentions: mentionsIn(draft, linking.blocks) }
}

function mentionsIn(
  { body, people, names, before, canonicalIn }: ParseInput,
  blocks: ParsedBlock[],
): MentionSpan[] {
  if (!body.includes('@')) return []
  const [from, to] = canonicalIn ?? [0, 0]
  const remembered =
    canonicalIn && before?.digest.plain === null ? [...knownMentions(body, before, names)] : []
  const known = new Map(remembered.filter(([at]) => at >= from && at < to))
  const texts = blocks.flatMap(({ mentionable }) => mentionable)
  return texts.length === 0 ? [] : findMentions(texts, body, { index: new NameIndex(people), known })
}
