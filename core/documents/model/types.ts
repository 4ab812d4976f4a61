import type { Attachment } from '../../../data/tables/documents.ts'
import type { Author, MemberType } from '../../access/member.ts'
import type { Unreached } from '../../members/unreached.ts'
import type { Reading } from '../../revisions/reading.ts'
import type { ColumnName } from './columns.ts'

/**
 * `home` is a project's README.md, its briefing. Events call a document and a home page `note`, and a draft `post`.
 */
export type DocumentKind = 'home' | 'post' | 'draft' | 'document' | 'card'

export type Folder = 'posts' | 'drafts' | 'documents' | 'board'

/** A file as addressed by a URL, with decoded segments. */
export interface Address {
  /** Slug or id. */
  project: string
  folder: Folder
  /** For a card: the column as spelled by the caller. */
  column?: string
  /** File name, slug, id or card number; for documents with sub-folders, as in `guides/setup.md`. */
  name: string
}

export interface BlockIdCounts {
  rebound: number
  orphaned: number
  total: number
}

/** `docs/interface.md#writing-a-file` */
export interface WriteResult {
  filename: string
  /** `/v1/fs/…`, every segment percent-encoded. */
  path: string
  id: string
  url: string
  created: boolean
  changed: boolean
  /** `written`: for a block write, the ids of the written blocks, in order. */
  blockIds: BlockIdCounts & { written?: string[] }
  revision: string
  /** For a publication: mentioned members who are not notified. */
  unreached?: Unreached[]
}

export interface Locations {
  path: string
  url: string
  /** File names of conflict copies that a sync tool left. */
  conflictCopies?: string[]
}

export interface PostRow extends Locations {
  filename: string
  id: string
  title: string
  publishedAt: number
  isDraft: boolean
}

export interface DocumentRow extends Locations {
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

export interface CardRow extends Locations {
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

export interface PlannedCard {
  number: number
  title: string
  column: ColumnName
  isQuestion: boolean
  isClosed: boolean
  /** Names. */
  assignees: string[]
  /** Numbers of the project's cards that it waits for. */
  blockedBy: number[]
  /** The beginning; null if there is none. */
  resolution: string | null
  lastActivityAt: number
  /** `/v1/fs/…` */
  path: string
}

/** The result of a DELETE. `id` is null for a symbolic link, which is no document. */
export interface DeleteResult {
  id: string | null
  filename: string
  deleted: true
}

export interface TrashRow {
  id: string
  kind: DocumentKind | 'file'
  /** The path within the project for a file that is no document. */
  filename: string
  title: string
  deletedAt: number
  deletedBy: string
  /** The path for restoring it with a POST. */
  path: string
}

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
  /** A date or time in ISO 8601. */
  due: string | null
  isQuestion: boolean
  /** The beginning; null if there is none. */
  resolution: string | null
  /** The project's cards that it waits, or waited, for. */
  blockedBy: CardLink[]
  lastActivityAt: number
  /** `/v1/fs/…` */
  path: string
  /** Without the base address. */
  page: string
}

export interface CardLink {
  number: number
  title: string
  isClosed: boolean
  page: string
}

/** What pages show of a file besides its content. Times are Unix milliseconds. */
export interface DocumentDetails {
  id: string
  projectId: string
  kind: DocumentKind
  title: string
  /** Within its folder, with sub-folders for a document. */
  filename: string
  /** `/v1/fs/…` */
  path: string
  /** Without the base address. */
  page: string
  author: Author
  editor: Author
  /** Of a draft: when it was created. */
  publishedAt: number
  editedAt: number | null
  lastActivityAt: number
  scheduledFor: number | null
  isPinned: boolean
  commentCount: number
  bytes: number
  revision: string
  /** File names of conflict copies that a sync tool left. */
  conflictCopies: string[]
}

/** The details of a single file. */
export interface OpenDocumentDetails extends DocumentDetails {
  revisionCount: number
  /** Oldest first. */
  attachments: (Attachment & { path: string })[]
  /** The first links to other sites. */
  links: string[]
  /** Most recently seen first; empty for what is no document. */
  here: PresentMember[]
  /** For the reader's own post or draft: mentioned members who are not, or would not be, notified. */
  unreached: Unreached[]
  /** The reader's permissions. */
  may: { edit: boolean; remove: boolean; publish: boolean; pin: boolean; comment: boolean }
}

export interface RevisionPair {
  before: string
  /** Default: the current revision. */
  after?: string
}

/** The location that a previewed text is written for. */
export interface PreviewContext {
  /** Slug or id. */
  project: string
  folder: Folder
  /** The document that is being edited; absent for a new one. */
  id?: string
  /** For a new document: its folder within the documents, as in `guides`. */
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

export const presenceKinds = ['viewing', 'editing'] as const
export type PresenceKind = (typeof presenceKinds)[number]

export interface PresentMember {
  memberId: string
  name: string
  type: MemberType
  kind: PresenceKind
  /** The id of the block that they are at, if any. */
  block: string | null
  /** Unix milliseconds. */
  lastSeenAt: number
}

/** The response to a presence heartbeat, or to leaving. */
export interface PresenceResult {
  document: { id: string; title: string; path: string }
  present: boolean
  /** The requested block, if the file has it. */
  block: string | null
  blockResolved: boolean
  /** Most recently seen first. */
  here: PresentMember[]
}

/** `docs/interface.md#document-presence` */
export interface PresenceList {
  ttlSeconds: number
  /** The requested member; null for everyone. */
  member: Author | null
  /** Most recently active first. */
  documents: {
    docId: string
    title: string
    filename: string
    path: string
    project: { slug: string; name: string }
    url: string
    here: PresentMember[]
  }[]
}

export interface DocumentView {
  reading: Reading
  /** Whether it was requested by its current name, not by its id or a former name. */
  isByName: boolean
  /** JSON. */
  text(): Promise<string>
}
