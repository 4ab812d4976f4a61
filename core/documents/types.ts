import type { Attachment } from '../../data/tables/documents.ts'
import type { Unreached } from '../inbox/unreached.ts'
import type { Backlink, LinkView, RefRow, Subject } from '../links/types.ts'
import type { Differences } from '../markdown/index.ts'
import type { Caller, MemberType } from '../members/types.ts'
import type { PageOfPath, RenderedDocument, SaidText } from '../rendering/types.ts'
import type { ColumnName } from './columns.ts'
import type { PresenceKind } from './presence-entries.ts'
import type { StrayFolder } from './stray-folders.ts'

/**
 * `home` is a project's README.md, its briefing. In the events' words a document and a home page are a `note`,
 * a draft is a `post`.
 */
export type DocumentKind = 'home' | 'post' | 'draft' | 'document' | 'card'

/** The folders of the tree that hold files. */
export type Folder = 'posts' | 'drafts' | 'documents' | 'board'

/** How a caller names a file: what stands in the URL, decoded segment by segment. */
export interface Address {
  /** Slug or id. */
  project: string
  folder: Folder
  /** For a card: the column as the caller spelled it. */
  column?: string
  /** File name, slug, id or card number; for documents with sub-folders before it, as in `guides/setup.md`. */
  name: string
}

/** What stands in a precondition of a write (`decisions.md`, Revision). */
export type Precondition =
  | { kind: 'none' }
  /** One of these revisions must be the present one. */
  | { kind: 'match'; revisions: string[] }
  /** The file must exist (`If-Match: *`). */
  | { kind: 'exists' }
  /** The file must not exist (`If-None-Match: *`). */
  | { kind: 'create' }

export interface BlockIdCounts {
  rebound: number
  orphaned: number
  total: number
}

/** The answer to a write (`interface.md`, Write rule 1). */
export interface WriteResult {
  filename: string
  /** `/v1/fs/…`, every segment percent-encoded. */
  path: string
  id: string
  url: string
  created: boolean
  changed: boolean
  /** `written`: of a block write, the ids of what it wrote, in order. */
  blockIds: BlockIdCounts & { written?: string[] }
  revision: string
  /** Of a publication: who of those whom the post mentions by name does not hear of it. */
  unreached?: Unreached[]
}

/** A file as a plain GET answers it. */
export interface Reading {
  body: Buffer
  revision: string
  /** The page where a person reads the same. */
  url: string
  /** False once comments, pin, attachments or names have changed since the revision was written: no 304 then. */
  isEnvelopeAsWritten: boolean
}

/** Where what a row speaks of is found. */
export interface Addresses {
  path: string
  /** The page where a person reads the same. */
  url: string
  /** File names of conflict copies that a sync tool left beside it. */
  conflictCopies?: string[]
}

export interface PostRow extends Addresses {
  filename: string
  id: string
  title: string
  publishedAt: number
  isDraft: boolean
}

export interface DocumentRow extends Addresses {
  filename: string
  id: string
  title: string
  author: string
  lastEditedAt: number
  bytes: number
}

export interface DocumentFolder {
  project: string
  folder: string
  documents: DocumentRow[]
}

export interface ColumnRow {
  name: string
  title: string
  count: number
  path: string
}

export interface CardRow extends Addresses {
  filename: string
  id: string
  number: number
  title: string
  status: string
  priority: string
  labels: string[]
  assignees: string[]
  lastActivityAt: number
}

/** A card as the plan and the map need it. */
export interface CardFacts {
  number: number
  title: string
  column: ColumnName
  isQuestion: boolean
  isClosed: boolean
  /** Names. */
  assignees: string[]
  /** Numbers of the other cards of the project that it waits for. */
  blockedBy: number[]
  /** How it begins; null: there is none. */
  resolution: string | null
  lastActivityAt: number
  /** `/v1/fs/…` */
  path: string
}

/** What a DELETE has removed. `id` is null where it was a symbolic link, which is no document. */
export interface Removed {
  id: string | null
  filename: string
  deleted: true
}

export interface TrashRow {
  id: string
  kind: DocumentKind | 'file'
  /** Of a file that is no document its path within the project. */
  filename: string
  title: string
  deletedAt: number
  deletedBy: string
  /** Restores it: a POST. */
  path: string
}

/** A file that is no document, back from the trash. */
export interface RestoredFile {
  id: string
  /** Its path within the project. */
  filename: string
  /** Where it is read, after the base address. */
  path: string
  created: true
}

/** A card as the board shows it. */
export interface BoardCard {
  id: string
  number: number
  title: string
  column: ColumnName
  status: string
  priority: string
  labels: string[]
  /** Names. */
  assignees: string[]
  /** A day or a time, as ISO 8601 writes it; null: none. */
  due: string | null
  isQuestion: boolean
  /** How it begins; null: there is none. */
  resolution: string | null
  /** The other cards of the project that it waits for, or waited for. */
  blockedBy: CardLink[]
  lastActivityAt: number
  /** `/v1/fs/…` */
  path: string
  /** The page of it, without the base address. */
  page: string
}

export interface CardLink {
  number: number
  title: string
  isClosed: boolean
  page: string
}

/** Who has written something. */
export interface Writer {
  _id: string
  name: string
  type: MemberType
}

/** What is known of a file beside what stands in it. Times are Unix milliseconds. */
export interface DocumentFacts {
  id: string
  projectId: string
  kind: DocumentKind
  title: string
  /** Within its folder; of a document with sub-folders before it. */
  filename: string
  /** `/v1/fs/…` */
  path: string
  /** The page of it, without the base address. */
  page: string
  author: Writer
  /** Who changed it last. */
  editor: Writer
  /** Of a draft: when it was created. */
  publishedAt: number
  editedAt: number | null
  lastActivityAt: number
  /** When a draft is to be published. */
  scheduledFor: number | null
  isPinned: boolean
  commentCount: number
  bytes: number
  revision: string
  /** File names of conflict copies that a sync tool left beside it. */
  conflictCopies: string[]
}

/** The same of one file that somebody looks at. */
export interface OpenFacts extends DocumentFacts {
  revisionCount: number
  /** Oldest first, each with the path at which it is read. */
  attachments: (Attachment & { path: string })[]
  /** The first pages of other sites that it links to. */
  links: string[]
  /** Who is in it, the one who was seen last first; nobody where it is no document. */
  here: HereRow[]
  /** Of the reader's own post or draft: who of those whom it mentions by name does not hear of it, or would not. */
  unreached: Unreached[]
  /** What the reader may do with it. */
  may: { edit: boolean; remove: boolean; publish: boolean; pin: boolean; comment: boolean }
}

/** Two revisions of one file. */
export interface Sides {
  before: string
  /** Left out: the present one. */
  after?: string
}

/** What a text is written for. */
export interface Writing {
  /** Slug or id. */
  project: string
  folder: Folder
  /** Of the document that it is to change; left out: it is to be a new one. */
  id?: string
  /** Of a new document: the folder within the documents that it is to stand in, as in `guides`. */
  subFolder?: string
}

export interface RevisionRow {
  revision: string
  at: number
  author: string
  via: string
  bytes: number
}

export interface MoveResult {
  id: string
  number: number
  filename: string
  path: string
  url: string
  column: string
  moved: boolean
}

/** Somebody who is in a document. */
export interface HereRow {
  memberId: string
  name: string
  type: MemberType
  kind: PresenceKind
  /** The id of the block that they are at; null: none in particular. */
  block: string | null
  /** Unix milliseconds. */
  lastSeenAt: number
}

/** The answer to one who says that they are in a document, or that they leave it. */
export interface PresenceResult {
  document: { id: string; title: string; path: string }
  present: boolean
  /** The block of the file that was named; null: none. */
  block: string | null
  blockResolved: boolean
  /** The one who was seen last first. */
  here: HereRow[]
}

/** Who is where (`interface.md`, Live presence). */
export interface DocumentsPresent {
  ttlSeconds: number
  /** Whom the question was about; null: everybody. */
  member: { _id: string; name: string; type: MemberType } | null
  /** The one that was last active first. */
  documents: {
    docId: string
    title: string
    filename: string
    path: string
    project: { slug: string; name: string }
    url: string
    here: HereRow[]
  }[]
}

/** The folder listings and the project's own page. All throw `forbidden` and `not_found` as `interface.md` says. */
export interface DocumentLists {
  /** Most recent activity first. */
  posts(caller: Caller, project: string): Promise<{ project: string; posts: PostRow[] }>
  /** The caller's own, most recent activity first. */
  drafts(caller: Caller, project: string): Promise<{ project: string; posts: PostRow[] }>
  /** Most recently edited first. */
  documents(caller: Caller, project: string): Promise<{ project: string; documents: DocumentRow[] }>
  /** Those at any depth below a folder (`guides/setup`), in whatever case it is spelled; null where there is no such folder. */
  documentsBelow(caller: Caller, project: string, folder: string): Promise<DocumentFolder | null>
  library(
    caller: Caller,
    project: string,
  ): Promise<{ project: string; folders: { name: string; count: number; path: string }[] }>
  board(caller: Caller, project: string): Promise<{ project: string; columns: ColumnRow[] }>
  /** @throws `bad_request` for any column but the four */
  column(
    caller: Caller,
    project: string,
    column: string,
  ): Promise<{ project: string; column: string; cards: CardRow[] }>
  /** The questions of a project and its cards in progress, in the order that cards have within their columns. */
  plannedCards(caller: Caller, project: string): Promise<CardFacts[]>
  trash(caller: Caller, project: string): Promise<{ project: string; trash: TrashRow[] }>
}

/** A view of a file. */
export interface View {
  reading: Reading
  /** Its JSON text. */
  text(): Promise<string>
}

/** The files of the tree. Every change goes through the one door behind this face. */
export interface Documents extends DocumentLists {
  read(caller: Caller, address: Address, revision?: string): Promise<Reading>
  /** The home page, with the project's folders listed below it. */
  briefing(caller: Caller, project: string): Promise<Reading>
  /** @throws `unprocessable`, also from `text`, where the file is kept as plain text */
  view(caller: Caller, address: Address, view: 'blocks' | 'outline'): Promise<View>
  /** A file as a page shows it. @throws WorkspaceError as `read` does */
  rendered(caller: Caller, address: Address, revision?: string): Promise<RenderedDocument>
  /** What is known of a file beside what stands in it. @throws WorkspaceError as `read` does */
  facts(caller: Caller, address: Address): Promise<OpenFacts>
  /** The page of the file that was read at an address where nothing is now; null: none that the caller may read. */
  movedTo(caller: Caller, address: Address): string | null
  /** Those of a folder's files, most recent activity first; of drafts the caller's own. @param limit how many; default all */
  factsIn(caller: Caller, project: string, folder: Folder, limit?: number): Promise<DocumentFacts[]>
  /**
   * Folders of a project that hold markdown which is no document, each with the path within the project that people know
   * it by. Of drafts nothing is told but how many.
   */
  strayFolders(caller: Caller, project: string): StrayFolder[]
  /** All cards of a project, by column, in the order that they have within it. */
  cards(caller: Caller, project: string): Promise<BoardCard[]>
  /**
   * What is different between two revisions of a file.
   * @returns null where that cannot be told within the time that a file has
   * @throws WorkspaceError `not_found` for a revision that there is not
   */
  differences(caller: Caller, address: Address, sides: Sides): Promise<Differences | null>
  /** A project's home page, without the folders that the briefing lists; null where it has none. */
  renderedHome(caller: Caller, project: string): Promise<RenderedDocument | null>
  /**
   * A text that is being written, as its page would show it, as safe HTML; and who of those whom it mentions would not
   * hear of it once it is published. @throws WorkspaceError for the project
   */
  preview(
    caller: Caller,
    writing: Writing,
    bytes: Uint8Array,
  ): Promise<{ html: string; unreached: Unreached[] }>
  /** Messages, comments and asks as pages show them, by their keys: HTML that is safe to stand in a page as it is. */
  renderedTexts(caller: Caller, texts: readonly SaidText[]): Promise<Map<string, string>>
  /** Markdown of a code repository or a skill as a page shows it below its own heading: safe HTML. */
  renderedForeign(body: Uint8Array, pageOf: PageOfPath): Promise<string>
  /** Creates or replaces a file; under posts/ it publishes. */
  put(caller: Caller, address: Address, body: Uint8Array, precondition: Precondition): Promise<WriteResult>
  putBlock(
    caller: Caller,
    address: Address,
    block: string,
    body: Uint8Array,
    precondition: Precondition,
  ): Promise<WriteResult>
  /** Deletes a file; also a symbolic link in the place of one, never what it leads to. */
  remove(caller: Caller, address: Address, precondition: Precondition): Promise<Removed>
  /** Moves a card. `before` and `after` are card numbers in the target column. */
  move(
    caller: Caller,
    address: Address,
    to: { toColumn: string; before?: number; after?: number },
  ): Promise<MoveResult>
  /** Publishes a draft itself, its id kept. */
  publish(caller: Caller, address: Address): Promise<WriteResult>
  revisions(caller: Caller, address: Address): Promise<{ revisions: RevisionRow[] }>
  /** Writes an older revision again, as a new one. */
  restore(caller: Caller, address: Address, revision: string): Promise<WriteResult>
  restoreFromTrash(caller: Caller, project: string, id: string): Promise<WriteResult | RestoredFile>
  /** The links in a file to other things in the workspace, and what they lead to now. */
  links(caller: Caller, address: Address): Promise<{ document: Subject; links: LinkView[] }>
  /** The links to a file from others, at most 100, those of the file that was edited last first. */
  backlinks(caller: Caller, address: Address): Promise<{ document: Subject; backlinks: Backlink[] }>
  /** What of a project can be linked to by these words. @throws `unprocessable` where there are none */
  refs(caller: Caller, project: string, query: string): { query: string; refs: RefRow[] }
  /**
   * Says that the caller is in a document; `block` as they spelled its id.
   * @throws `unprocessable` for a kind that there is not, and for what is no document
   */
  beat(caller: Caller, address: Address, state: { kind?: string; block?: string }): Promise<PresenceResult>
  /** Takes the caller out of a document. */
  leave(caller: Caller, address: Address): Promise<PresenceResult>
  /** @param member id, name in any case, or `self`; left out: everybody. @throws `not_found` where it means nobody */
  present(caller: Caller, member?: string): DocumentsPresent
  /** How many published posts a project has. */
  postCount(projectId: string): number
  /** How many documents of every kind a project has. */
  count(projectId: string): number
}
