import { revisionOf } from '../revisions/revision.ts'
import { type Alignment, align } from './align.ts'
import type { BlockFingerprint } from './blocks.ts'
import { compress } from './compression.ts'
import { refusal } from './content-error.ts'
import { firstLinks } from './external-links.ts'
import { canonicalizeMentions, displayMentions, type MentioningText, shiftMention } from './mentions.ts'
import type { Draft } from './parse-input.ts'
import { type Linking, parseDraft, parseWithReferences } from './parse-with-references.ts'
import { isTitleLevel } from './parsed-block.ts'
import { plainTitle } from './plain.ts'
import { ownBlocks, previousOwnBlocks } from './previous-version.ts'
import { canHaveReferences } from './references.ts'
import { plainSearchText, searchText } from './search-text.ts'
import { mentionedNames, storeBlocks } from './stored-blocks.ts'
import { frontmatterTitle, isTooLong, maxTitleLength, truncateTitle } from './title.ts'
import type { Analysis, MentionSpan, ParsedContent, PlainReason, PreviousVersion, Refusal } from './types.ts'

/** More mentions than this stand in a file as they are written: a read does not show them as `@Name`. */
const maxMentions = 1000

/** Stands for the title of a new file that has none, whose name only the caller knows. */
const anyFileName = 'file'

/**
 * Analyses a draft. A file that nests too deep is kept as plain text.
 * @param plain keeps it as plain text from the start, for this reason, in time that is linear in its length
 */
export function analyseInput(draft: Draft, plain: PlainReason | null): Analysis | Refusal {
  if (plain) return analysePlain(draft, plain)
  try {
    return analyseMarkdown(draft)
  } catch (error) {
    if (error instanceof RangeError) return analysePlain(draft, 'depth')
    throw error
  }
}

function analyseMarkdown(draft: Draft): Analysis | Refusal {
  const { before, names } = draft
  const parsed = parseDraft(draft)
  const added = dropsHeading(draft, parsed) ? draft.addedHeading : 0
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
  const shown = displayMentions({ text: written.text, mentions: spans }, names)
  // What the heading that is dropped links to is not told apart: such a file is looked through once more.
  const isLookedThrough = shown === sent && (added === 0 || !canHaveReferences(draft.body))
  const { blocks, references } = isLookedThrough
    ? { blocks: parsed.blocks.slice(added ? 1 : 0), references: parsed.references }
    : parseWithReferences(shown)

  const heading = blocks.find(isTitleLevel)
  const titles = titlesOf(heading?.heading?.title ?? null, draft)
  const problem = titleProblem(titles.title, draft, added > 0)
  if (problem) return problem

  const { text: head, frontmatter } = draft.headFor(written.text)
  const own = ownBlocks(shown, blocks, titles, titles.title ?? before?.title ?? anyFileName)
  const digest: ParsedContent = {
    ...titles,
    frontmatter,
    mentions: inBytes({ text: written.text, mentions: spans }, Buffer.byteLength(head)),
    links: firstLinks(blocks.map(({ links }) => links)),
    blocks: storeBlocks(own),
    blockNames: mentionedNames(spans, names),
    plain: null,
  }
  const below = titles.titleSource === 'heading' ? blocks.filter((block) => block !== heading) : blocks
  const texts = below.map((block) => block.searchText)
  const text = searchText(texts, titles.titleSource === 'heading' ? draft.fields : withoutTitle(draft.fields))
  return finish(
    draft.fixed ?? Buffer.from(head + written.text),
    digest,
    { references, searchText: text },
    ...compare(before, own, names),
  )
}

/** Keeps a file as plain text (decisions, Limits). */
function analysePlain(draft: Draft, plain: PlainReason): Analysis | Refusal {
  const rest = draft.body.slice(draft.addedHeading)
  const added = draft.addedHeading > 0 && keepsTitle(draft, plainTitle(rest)) ? draft.addedHeading : 0
  const body = draft.body.slice(added)
  const titles = titlesOf(plainTitle(body), draft)
  const problem = titleProblem(titles.title, draft, added > 0)
  if (problem) return problem
  const { text: head, frontmatter } = draft.headFor(body)
  const digest: ParsedContent = {
    ...titles,
    frontmatter,
    mentions: [],
    links: [],
    blocks: null,
    blockNames: {},
    plain,
  }
  return finish(
    draft.fixed ?? Buffer.from(head + body),
    digest,
    { references: [], searchText: plainSearchText(body) },
    ...nothingAligned,
  )
}

const withoutTitle = ({ title: _, ...others }: Record<string, unknown>) => others

function dropsHeading(draft: Draft, { blocks }: Linking): boolean {
  if (draft.addedHeading === 0) return false
  const next = blocks.slice(1).find(isTitleLevel)
  return keepsTitle(draft, next?.heading?.title ?? null)
}

/** Whether the title is what it was, once the heading that a read added is gone and this one is the first. */
function keepsTitle({ before, fields }: Draft, nextHeading: string | null): boolean {
  if (nextHeading !== null) return false
  const title = frontmatterTitle(fields)
  return before!.digest.titleSource === null
    ? title === null
    : title !== null && truncateTitle(title) === before!.title
}

function titlesOf(
  heading: string | null,
  { fields, title: rule }: Draft,
): Pick<ParsedContent, 'title' | 'titleSource'> {
  const title = heading ?? frontmatterTitle(fields)
  const titleSource = heading !== null ? 'heading' : title !== null ? 'frontmatter' : null
  return { title: title !== null && rule === 'any' ? truncateTitle(title) : title, titleSource }
}

/** @param isGiven the file went by a title that does not stand in it, and still does */
function titleProblem(title: string | null, { title: rule }: Draft, isGiven: boolean): Refusal | null {
  if (title === null && rule === 'needed' && !isGiven) {
    return refusal(
      'The file needs a title: begin it with `# Title`, or give it a `title` in its frontmatter.',
    )
  }
  if (title !== null && isTooLong(title)) {
    return refusal(
      `The title is longer than ${maxTitleLength} characters: shorten it, and move the rest into the text.`,
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

type Comparison = [blockIds: Analysis['blockIds'], rebinding: Alignment['rebinding']]

const nothingAligned: Comparison = [{ rebound: 0, orphaned: 0, total: 0 }, {}]

function compare(
  before: PreviousVersion | null,
  own: BlockFingerprint[],
  names: Record<string, string>,
): Comparison {
  const blocks = before ? previousOwnBlocks(before, names) : []
  if (blocks === null) return nothingAligned
  const { rebound, orphaned, rebinding } = align(blocks, own)
  return [{ rebound, orphaned, total: blocks.length }, rebinding]
}

/** What is worked out of the stored bytes themselves. */
export function finish(
  stored: Uint8Array,
  digest: ParsedContent,
  said: Pick<Analysis, 'references' | 'searchText'>,
  ...[blockIds, rebinding]: Comparison
): Analysis {
  const revision = revisionOf(stored)
  return {
    kind: 'analysis',
    stored,
    revision,
    compressed: compress(stored),
    digest,
    blockIds,
    rebinding,
    ...said,
  }
}
