/**
 * The contract between the documents and the markdown that runs on worker threads.
 * Everything here is cloned between threads: plain data only. Offsets into stored bytes are in bytes,
 * offsets in views are UTF-16 code units, as the interface says.
 */

/** Somebody whom a bare `@Name` can mean. */
export interface MentionCandidate {
  id: string
  name: string
}

/** A mention in the stored bytes. */
export interface MentionSpan {
  /** Byte range in the stored file: of `@[Name](id)` when canonical, of `@Name` when bare. */
  start: number
  end: number
  /** Member id, or a reserved broadcast id (`__here__`, `__channel__`, `__everyone__`). */
  id: string
  /** The name as it stands in the file. */
  name: string
  /** A bare mention was typed on the disk, where nothing is rewritten: it counts, and is shown as it stands. */
  form: 'canonical' | 'bare'
  /** Of a bare one whose name is known from the file, where it may be written otherwise than it is shown; not kept. */
  isNameInFile?: true
}

/** What is known of a file's own frontmatter (the author's, on the disk). */
export interface Frontmatter {
  /** Byte offset at which the body begins, just behind the closing fence's line. */
  bodyStart: number
  /** The author's own lines between the fences, server keys left out, as they stand: `''` or ending in a line end. */
  own: string
  /** Where the `status` key's lines stand in `own` (UTF-16), for a card whose column decides otherwise. */
  statusRange: [start: number, end: number] | null
  /** The author's own keys, parsed: plain JSON values. */
  fields: Record<string, unknown>
}

/** Why a file is kept as plain text: it took too long, nests too deep, or is not UTF-8. */
export type PlainReason = 'budget' | 'depth' | 'encoding'

/** What a write or a look at the disk learns from the bytes once, so that a read needs no parse. */
export interface ParsedContent {
  /** First level-one heading at the top level, else frontmatter `title`; null when there is neither. */
  title: string | null
  /** `heading`: the title stands in the body; else a read adds `# Title`. */
  titleSource: 'heading' | 'frontmatter' | null
  /** null: no frontmatter, or none that can be read as a map (it is then text like any other). */
  frontmatter: Frontmatter | null
  /** In document order; empty for plain text. */
  mentions: MentionSpan[]
  /** The pages of other sites that it links to, the first five; missing where the digest is older than that. */
  links?: string[]
  /**
   * The file's own (writable) blocks as a plain GET shows them, `id:type` joined by spaces;
   * null when there are too many to keep, or the file is plain text.
   */
  blocks: string | null
  /** The names that `blocks` was computed with, id to shown name: other names give other ids. */
  blockNames: Record<string, string>
  plain: PlainReason | null
}

/** The file as it stood before a write. */
export interface PreviousVersion {
  /** Stored bytes; needed where `digest.blocks` cannot serve. */
  stored: Uint8Array
  digest: ParsedContent
  /** Title that a read shows (the file name's, where the file has none). */
  title: string
  /** Status that a read shows in place of the author's, as for a card whose column decides; else null or left out. */
  status?: string | null
}

export interface AnalyseRequest {
  /** As sent or as found, a BOM dropped by the analysis when `sent`. */
  bytes: Uint8Array
  /**
   * `sent`: over an interface. The envelope is taken off, bare mentions become canonical, frontmatter is checked.
   * `found`: on the disk. Nothing is changed or refused: `stored` equals `bytes`.
   */
  origin: 'sent' | 'found'
  /**
   * Whom a bare name can mean, the first of equal names wins: those whom the file mentioned before come first
   * (broadcasts and members who left among them), then the active members, oldest first.
   */
  people: MentionCandidate[]
  /** Present names by member id, for rendering; an id that is missing here shows the name in the file. */
  names: Record<string, string>
  before: PreviousVersion | null
}

export interface BlockWriteRequest {
  before: PreviousVersion
  /** The id as sent, any case. */
  block: string
  /** Raw markdown that replaces the block. */
  replacement: Uint8Array
  people: MentionCandidate[]
  names: Record<string, string>
  /** The exact bytes that a plain GET answers now; the ids are of these bytes. */
  read: Uint8Array
}

export interface Analysis {
  kind: 'analysis'
  /** The bytes for the disk. */
  stored: Uint8Array
  /** First 20 characters of the lower-case hex SHA-256 of `stored`. */
  revision: string
  /** `stored`, deflated (zlib raw), as the revision's row keeps it. */
  compressed: Uint8Array
  digest: ParsedContent
  blockIds: { rebound: number; orphaned: number; total: number }
  /** Own block ids that changed: before id to after id, or null when orphaned. Empty where nothing was aligned. */
  rebinding: Record<string, string | null>
  /** What it links to in the workspace. Empty, as `searchText` is, where the file says what it said before. */
  references: FoundReference[]
  /** What is searched of it besides its title. */
  searchText: string
}

/** A link to something in the workspace, as it stands in a file. */
export interface FoundReference {
  /** `[[c:12]]`, `![[Exact title#anchor|label]]`; of a markdown link its destination, a path. */
  token: string
  /** The text around it, at most some 200 characters on one line. */
  context: string
}

/** A `sent` file that cannot be taken: the message is for the caller (422). */
export interface ContentError {
  kind: 'refusal'
  message: string
}

/** A block id that is not in the file any more: the ids that are (409). */
export interface StaleBlock {
  kind: 'stale'
  blocks: BlockSummary[]
}

export interface BlockSummary {
  id: string
  writable: boolean
  type: string
  lines: [start: number, end: number]
  /** The first 80 characters of the block's source, on one line. */
  preview: string
}

/** Which of the read's blocks are envelope is found from these. */
export interface ViewRequest {
  view: 'blocks' | 'outline'
  /** The exact bytes that a plain GET answers. */
  read: Uint8Array
  canonical: string
  document: { id: string; title: string; lastEditedAt: string; bytes: number }
}

/** `text`: the view's JSON, ready to send. Null: the file is too costly to parse. */
export interface View {
  text: string | null
}

/** A mention where a read shows it, as `@` and the present name. Byte range in the body that is rendered. */
export interface DisplayedMention {
  start: number
  end: number
  /** Member id, or a reserved broadcast id. */
  id: string
}

export interface HtmlRequest {
  /** What a read shows below its frontmatter, the heading that it adds included. */
  body: Uint8Array
  /** In document order, none over another. */
  mentions: DisplayedMention[]
  /** The base address of the workspace's pages, without a slash at its end: what begins with it is no other site. */
  origin: string
  /** The body is shown as it stands, since it cannot be parsed. */
  isPlain: boolean
  /**
   * A text that is said, one of many on its page: without headings and ids that could be another's, with its line breaks
   * as they are written, and with links in the place of pictures.
   */
  isSaid?: true
}

/** A place in HTML that is filled in for each reader, since it depends on what they may see. */
export type Slot =
  /** `[[…]]`, or `![[…]]`: stands for the opening tag of a link and all that is in it. */
  | { kind: 'token'; token: string }
  /** A link by a path to something in the workspace: stands for its opening tag. */
  | { kind: 'link'; destination: string; title: string | null }
  /** Stands for a whole element. In the text of a link there can be no second one. */
  | { kind: 'picture'; destination: string; alt: string; title: string | null; isInLink: boolean }

export interface OutlineEntry {
  depth: number
  text: string
  /** The id of the heading's element, as GitHub makes it; may be empty. */
  anchor: string
  /** The id of the block, as in the block view. */
  id: string
}

/** A body as HTML that runs nothing and loads nothing from other sites. */
export interface Html {
  /** One more than there are slots, which stand between them. */
  parts: string[]
  slots: Slot[]
  /** The sources of the diagrams that are yet to be drawn in it (`diagram-html.ts`). */
  diagrams: string[]
  outline: OutlineEntry[]
  isPlain: boolean
}

/** A drawing of Mermaid, or why there is none: nothing here draws this kind, it shows nothing, or it is too large. */
export type Diagram =
  | {
      kind: 'drawn'
      /** What kind of a diagram it is, in words. */
      name: string
      /** In pixels. */
      width: number
      height: number
      /** It stands for itself: nothing is loaded with it. To be shown as an image, which runs nothing. */
      svg: string
    }
  | { kind: 'undrawn'; reason: 'unknown' | 'empty' | 'too large' | 'too costly' }

/** Two texts that are compared, in UTF-8. */
export interface DifferencesRequest {
  before: Uint8Array
  after: Uint8Array
}

/** A part of a line, and whether it is another in the other text. */
export interface LinePart {
  text: string
  isChanged: boolean
}

/** A line of one text or of both. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  /** Its number in the text before, from 1; null: it is not there. */
  before: number | null
  after: number | null
  parts: LinePart[]
}

/** So many equal lines that are not shown. */
export interface CollapsedLines {
  kind: 'equal'
  count: number
}

export interface TextDiff {
  /** In order; what is far from every change is left out. */
  lines: (DiffLine | CollapsedLines)[]
  added: number
  removed: number
  /** There are more changes than these. */
  isCut: boolean
}

/** Parses on worker threads, each task within a time budget; results are kept by content hash. */
export interface MarkdownService {
  /**
   * Never fails for content: over budget, the file is analysed as plain text. `background` yields to `answering`.
   * @param sinceMs since when somebody waits for it (`performance.now()`, default now): the earliest is next
   */
  analyse(
    request: AnalyseRequest,
    priority: 'answering' | 'background',
    sinceMs?: number,
  ): Promise<Analysis | ContentError>
  /** @param sinceMs as for `analyse` */
  writeBlock(request: BlockWriteRequest, sinceMs?: number): Promise<Analysis | ContentError | StaleBlock>
  view(request: ViewRequest): Promise<View>
  /** Never fails for content: over budget, code goes without colours, then the body is shown as plain text. Not kept. */
  html(request: HtmlRequest, priority?: 'answering' | 'background'): Promise<Html>
  /** The same for many short bodies at once, in their order. */
  htmls(requests: readonly HtmlRequest[]): Promise<Html[]>
  /** HTML that shows a Mermaid diagram, with its source. Never fails for content: it says what could not be drawn. */
  diagram(source: string): Promise<string>
  /** What is different between two texts; null where that cannot be told within the budget. Not kept. */
  differences(request: DifferencesRequest): Promise<TextDiff | null>
  /** Compresses and expands the bytes of revisions (zlib raw) outside of an analysis. */
  expand(compressed: Uint8Array): Uint8Array
  /** How many files wait for a thread. */
  waiting(): number
  /** How many are on one. */
  running(): number
  /** How many were cut off since the service was opened, as they used up their budget. */
  overBudget(): number
  close(): Promise<void>
}
