/**
 * The contract between documents and the workers that parse markdown: plain data, cloned between threads.
 * Offsets into stored bytes are in bytes, offsets in views are UTF-16 code units, as in the interface.
 */

export interface MentionCandidate {
  id: string
  name: string
}

export interface MentionSpan {
  /** Byte range in the stored file: of `@[Name](id)` if canonical, of `@Name` if bare. */
  start: number
  end: number
  /** Member id, or a reserved broadcast id (`__here__`, `__channel__`, `__everyone__`). */
  id: string
  name: string
  /** A bare mention was typed on the disk, where nothing is rewritten: it counts, and is displayed as is. */
  form: 'canonical' | 'bare'
  /** For a bare mention whose name is known from the file, perhaps in another spelling; not stored. */
  isNameInFile?: true
}

export interface Frontmatter {
  /** Byte offset of the body, after the closing fence's line. */
  bodyStart: number
  /** The author's lines between the fences, without server keys: `''`, or ending in a line end. */
  own: string
  /** The range of the `status` lines in `own` (UTF-16), for a card whose column decides otherwise. */
  statusRange: [start: number, end: number] | null
  fields: Record<string, unknown>
}

/** Why a file is kept as plain text: it took too long, nests too deep, or is not UTF-8. */
export type PlainReason = 'budget' | 'depth' | 'encoding'

export interface ParsedContent {
  /** The first top-level heading of level one, else frontmatter `title`, else null. */
  title: string | null
  /** `heading`: the title is in the body; else a read adds `# Title`. */
  titleSource: 'heading' | 'frontmatter' | null
  frontmatter: Frontmatter | null
  mentions: MentionSpan[]
  links?: string[]
  /** The author's own blocks as displayed, `id:type …`; null if there are too many, or for plain text. */
  blocks: string | null
  /** The names with which `blocks` was computed, by id: other names give other block ids. */
  blockNames: Record<string, string>
  plain: PlainReason | null
}

export interface PreviousVersion {
  stored: Uint8Array
  digest: ParsedContent
  /** The displayed title: the file name's, if the file has none. */
  title: string
  /** Displayed instead of the author's `status`, as for a card whose column decides. */
  status?: string | null
}

export interface AnalyseRequest {
  bytes: Uint8Array
  /** `sent`: the envelope is removed, mentions become canonical. `found` on the disk: nothing changes. */
  origin: 'sent' | 'found'
  people: MentionCandidate[]
  /** Current names by member id; for a missing id, the name in the file is displayed. */
  names: Record<string, string>
  before: PreviousVersion | null
}

export interface BlockWriteRequest {
  before: PreviousVersion
  block: string
  replacement: Uint8Array
  people: MentionCandidate[]
  names: Record<string, string>
  /** The exact bytes of a plain GET, to which the ids refer. */
  read: Uint8Array
}

export interface Analysis {
  kind: 'analysis'
  stored: Uint8Array
  /** First 20 characters of the lower-case hex SHA-256 of `stored`. */
  revision: string
  /** `stored`, deflated (zlib raw), for the revision's row. */
  compressed: Uint8Array
  digest: ParsedContent
  blockIds: { rebound: number; orphaned: number; total: number }
  rebinding: Record<string, string | null>
  /** Links within the workspace. Empty, like `searchText`, if the file is unchanged. */
  references: FoundReference[]
  searchText: string
  /** Both, for the entry of the search (`data/compression.ts`). */
  packedText: Uint8Array
}

export interface FoundReference {
  /** `[[c:12]]`, `![[Exact title#anchor|label]]`, or the path of a markdown link. */
  token: string
  /** The text around it, about 200 characters on one line. */
  context: string
}

export interface ContentError {
  kind: 'refusal'
  message: string
}

export type Edit =
  | { block: string; text: string }
  | { find: string; replace: string; expectedCount: number }
  | { append: string }

export interface EditRequest {
  read: Uint8Array
  /** Where the author's frontmatter lines are in `read`, in UTF-16 code units. */
  ownLines: [start: number, end: number]
  plain: PlainReason | null
  edits: readonly Edit[]
  maxBytes: number
}

export interface EditedText {
  kind: 'edited'
  bytes: Uint8Array
}

/** An edit that does not fit. `text`: what edits could find before the first one. */
export type EditConflict = { kind: 'conflict'; edit: number; text: string } & (
  | { found: number; expectedCount: number }
  | { block: string; blocks: BlockSummary[] }
)

export interface StaleBlock {
  kind: 'stale'
  blocks: BlockSummary[]
}

export interface BlockSummary {
  id: string
  writable: boolean
  type: string
  lines: [start: number, end: number]
  preview: string
}

export interface ViewRequest {
  view: 'blocks' | 'outline'
  read: Uint8Array
  canonical: string
  document: { id: string; title: string; lastEditedAt: string; bytes: number }
}

/** A top-level heading. */
export interface Heading {
  depth: number
  /** Without markup. */
  text: string
  /** 1-based, inclusive. */
  lines: [start: number, end: number]
}

/** `text` is JSON; null if the file exceeds the budget. */
export interface View {
  text: string | null
}

export interface DisplayedMention {
  start: number
  end: number
  id: string
}

export interface HtmlRequest {
  body: Uint8Array
  mentions: DisplayedMention[]
  /** The base address of the workspace's pages, without a final slash: links below it are internal. */
  origin: string
  isPlain: boolean
  /** A message or comment: without headings and ids, and with its line breaks. */
  isMessage?: true
  /** Texts of the headings before this part of a document, whose anchors are taken. */
  earlierHeadings?: readonly string[]
}

export interface TextParts {
  requests: HtmlRequest[]
  /** `part`: from 1. */
  outline: (OutlineEntry & { part: number })[]
}

export type Slot =
  | { kind: 'token'; token: string }
  | { kind: 'link'; destination: string; title: string | null }
  | { kind: 'picture'; destination: string; alt: string; title: string | null; isInLink: boolean }

export interface OutlineEntry {
  depth: number
  text: string
  /** The heading's id, as made by GitHub; may be empty. */
  anchor: string
  id: string
}

/** A body as HTML that runs nothing and loads nothing from other sites. */
export interface Html {
  parts: string[]
  slots: Slot[]
  diagrams: string[]
  outline: OutlineEntry[]
  isPlain: boolean
  links?: string[]
}

export type Diagram =
  | {
      kind: 'drawn'
      name: string
      width: number
      height: number
      svg: string
    }
  | { kind: 'undrawn'; reason: 'unknown' | 'empty' | 'too large' | 'too costly' }

export interface DifferencesRequest {
  before: Uint8Array
  after: Uint8Array
}

export interface LinePart {
  text: string
  isChanged: boolean
}

export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  before: number | null
  after: number | null
  parts: LinePart[]
}

export interface CollapsedLines {
  kind: 'equal'
  count: number
}

export interface TextDiff {
  lines: (DiffLine | CollapsedLines)[]
  added: number
  removed: number
  isCut: boolean
}

/** Parses on workers, each task within a budget; results are cached by content. */
export interface MarkdownService {
  /** Over budget, the file is plain text. `sinceMs`: when the request arrived (`performance.now()`). */
  analyse(
    request: AnalyseRequest,
    priority: 'answering' | 'background',
    sinceMs?: number,
  ): Promise<Analysis | ContentError>
  writeBlock(request: BlockWriteRequest, sinceMs?: number): Promise<Analysis | ContentError | StaleBlock>
  edit(
    request: EditRequest,
    sinceMs?: number,
  ): Promise<EditedText | EditConflict | ContentError | { kind: 'too large' }>
  view(request: ViewRequest): Promise<View>
  /** The top-level headings of a text, in order. Null if it exceeds the budget or nests too deep. */
  headings(text: Uint8Array): Promise<Heading[] | null>
  /** Over budget, code is not highlighted, then the body is plain text. Not cached. */
  html(request: HtmlRequest, priority?: 'answering' | 'background'): Promise<Html>
  htmls(requests: readonly HtmlRequest[]): Promise<Html[]>
  /** Divides a long body. Null if that exceeds the budget. */
  textParts(request: HtmlRequest): Promise<TextParts | null>
  diagram(source: string): Promise<string>
  /** Null if the comparison exceeds the budget. Not cached. */
  differences(request: DifferencesRequest): Promise<TextDiff | null>
  /** Expands the bytes of a revision (zlib raw). */
  expand(compressed: Uint8Array): Uint8Array
  waiting(): number
  running(): number
  overBudget(): number
  close(): Promise<void>
}
