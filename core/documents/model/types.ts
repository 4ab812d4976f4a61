import type { Attachment } from '../../../data/tables/documents.ts'
import type { Author, MemberType } from '../../access/member.ts'
import type { Unreached } from '../../members/unreached.ts'
import type { Reading } from '../../revisions/reading.ts'
import type { ColumnName } from './columns.ts'

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

export interface BlockIdCounts {
  rebound: number
  orphaned: number
  total: number
}

/** The answer to a write (`docs/interface.md#writing-a-file`). */
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

/** Where what a row speaks of is found. */
export interface Locations {
  path: string
  /** The page where a person reads the same. */
  url: string
  /** File names of conflict copies that a sync tool left beside it. */
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

/** A card as the plan and the map need it. */
export interface PlannedCard {
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
export interface DeleteResult {
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

/** What is known of a file beside what stands in it. Times are Unix milliseconds. */
export interface DocumentDetails {
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
  author: Author
  /** Who changed it last. */
  editor: Author
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
export interface OpenDocumentDetails extends DocumentDetails {
  revisionCount: number
  /** Oldest first, each with the path at which it is read. */
  attachments: (Attachment & { path: string })[]
  /** The first pages of other sites that it links to. */
  links: string[]
  /** Who is in it, the one who was seen last first; nobody where it is no document. */
  here: PresentMember[]
  /** Of the reader's own post or draft: who of those whom it mentions by name does not hear of it, or would not. */
  unreached: Unreached[]
  /** What the reader may do with it. */
  may: { edit: boolean; remove: boolean; publish: boolean; pin: boolean; comment: boolean }
}

/** Two revisions of one file. */
export interface RevisionPair {
  before: string
  /** Left out: the present one. */
  after?: string
}

/** What a text is written for. */
export interface PreviewContext {
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

/** What somebody does in a document. */
export const presenceKinds = ['viewing', 'editing'] as const
export type PresenceKind = (typeof presenceKinds)[number]

/** Somebody who is in a document. */
export interface PresentMember {
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
  here: PresentMember[]
}

/** Who is where (`docs/interface.md#document-presence`). */
export interface PresenceList {
  ttlSeconds: number
  /** Whom the question was about; null: everybody. */
  member: Author | null
  /** The one that was last active first. */
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

/** A view of a file. */
export interface DocumentView {
  reading: Reading
  /** Whether it was asked for by the name that the file has now, and not by its id or a name that it had before. */
  isByName: boolean
  /** Its JSON text. */
  text(): Promise<string>
}
