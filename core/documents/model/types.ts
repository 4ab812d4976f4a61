import type { Attachment } from '../../../data/tables/documents.ts'
import type { Author, MemberType } from '../../access/member.ts'
import type { Unreached } from '../../members/unreached.ts'
import type { Reading } from '../../revisions/reading.ts'
import type { ColumnName } from './columns.ts'
import type { Rows } from './lazy-rows.ts'

/** `home`: a project's README.md. Events call a document and a home page `note`, and a draft `post`. */
export type DocumentKind = 'home' | 'post' | 'draft' | 'document' | 'card'

export type Folder = 'posts' | 'drafts' | 'documents' | 'board'

export type AddressFolder = Folder | 'home'

export type FileAddress = Omit<Address, 'folder'> & { folder: AddressFolder }

export interface Address {
  project: string
  folder: Folder
  /** For a card: the column as spelled by the caller. */
  column?: string
  /** File name, slug, id or card number; with sub-folders for documents, as in `guides/setup.md`. */
  name: string
}

export interface BlockIdCounts {
  rebound: number
  orphaned: number
  total: number
}

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
  documents: Rows<DocumentRow>
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
  assignees: string[]
  blockedBy: number[]
  /** Cut to its beginning. */
  resolution: string | null
  lastActivityAt: number
  path: string
}

/** `id` is null for a symbolic link, which is not a document. */
export interface DeleteResult {
  id: string | null
  filename: string
  deleted: true
}

export interface TrashRow {
  id: string
  kind: DocumentKind | 'file'
  /** For a file that is not a document: the path within the project. */
  filename: string
  title: string
  deletedAt: number
  deletedBy: string
  /** A POST to it restores the document. */
  path: string
}

export interface ListedChanges {
  documents: DocumentDetails[]
  changedIds: ReadonlySet<string>
  removedIds: readonly string[]
}

export interface BoardCard {
  id: string
  number: number
  title: string
  column: ColumnName
  status: string
  priority: string
  labels: string[]
  assignees: string[]
  /** A date or time in ISO 8601. */
  due: string | null
  isQuestion: boolean
  resolution: string | null
  blockedBy: CardLink[]
  lastActivityAt: number
  path: string
  /** The page path. */
  page: string
}

export interface BoardChanges {
  cards: BoardCard[]
  /** Includes cards that a changed card blocks. */
  changedIds: ReadonlySet<string>
  removedIds: string[]
}

export interface CardLink {
  number: number
  title: string
  isClosed: boolean
  page: string
}

/** Times are Unix milliseconds. */
export interface DocumentDetails {
  id: string
  projectId: string
  kind: DocumentKind
  title: string
  filename: string
  path: string
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
  conflictCopies: string[]
}

export interface OpenDocumentDetails extends DocumentDetails {
  revisionCount: number
  /** Oldest first. */
  attachments: (Attachment & { path: string })[]
  links: string[]
  /** Most recently seen first; empty unless `kind` is `document`. */
  here: PresentMember[]
  /** For the reader's own post or draft: mentioned members who are not, or would not be, notified. */
  unreached: Unreached[]
  may: { edit: boolean; remove: boolean; publish: boolean; pin: boolean; comment: boolean }
}

export interface RevisionPair {
  before: string
  /** Default: the current revision. */
  after?: string
}

export interface PreviewContext {
  project: string
  folder: Folder
  id?: string
  subFolder?: string
}

export interface RevisionRow {
  revision: string
  at: number
  author: string
  /** The writers' names, the one who wrote most first; absent for a single writer. */
  writers?: string[]
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

export interface DocumentMove {
  id: string
  filename: string
  path: string
  url: string
  moved: boolean
}

export const presenceKinds = ['viewing', 'editing'] as const
export type PresenceKind = (typeof presenceKinds)[number]

export interface PresentMember {
  memberId: string
  name: string
  type: MemberType
  kind: PresenceKind
  block: string | null
  /** Unix milliseconds. */
  lastSeenAt: number
}

export interface PresenceResult {
  document: { id: string; title: string; path: string }
  present: boolean
  block: string | null
  blockResolved: boolean
  here: PresentMember[]
}

export interface PresenceList {
  ttlSeconds: number
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
  /** False if it was requested by its id or a former name. */
  isByName: boolean
  /** JSON. */
  text(): Promise<string>
}
