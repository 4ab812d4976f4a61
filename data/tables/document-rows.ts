import { type CheckedStamp, packStamp, unpackStamp } from '../packed-stamps.ts'

export interface DocumentRecord {
  id: string
  projectId: string
  kind: 'home' | 'post' | 'draft' | 'document' | 'card'
  /** In the project's folder, as spelled on the disk. */
  path: string
  /** `path` in NFC and case folded. */
  pathKey: string
  title: string
  authorId: string
  editorId: string
  createdMs: number
  /** For a draft, when it was created. */
  publishedMs: number
  editedMs: number | null
  scheduledMs: number | null
  isPinned: boolean
  commentCount: number
  /** For posts and drafts, oldest first. */
  attachments: Attachment[]
  activityMs: number
  number: number | null
  status: string | null
  /** Order within the column, by code units; there is always room between two. */
  position: string | null
  card: CardFields | null
  revision: string
  bytes: number
  /** The envelope of reads when the revision was written. */
  envelope: string
  /** The file's stat when its bytes were last known to be `revision`; null: must be verified. */
  stamp: CheckedStamp | null
  deletedMs: number | null
  deletedBy: string | null
  /** In the home; set if the document is deleted. */
  trashPath: string | null
}

export type Metadata = Pick<DocumentRecord, 'commentCount' | 'isPinned' | 'activityMs' | 'attachments'>

/** The file is `attachments/<document id>/<name>`. */
export interface Attachment {
  id: string
  name: string
  type: string
  size: number
}

export interface CardFields {
  priority: string
  labels: string[]
  assignees: string[]
  isQuestion?: true
  blockedBy?: number[]
  /** ISO 8601. */
  due?: string
  resolution?: string
}

/** `pathKey` is empty if it equals the path. */
export type Stored = Omit<DocumentRecord, 'isPinned' | 'attachments' | 'card' | 'stamp'> & {
  isPinned: number
  attachments: string | null
  card: string | null
  stamp: string | null
}

export const columns = [
  'id',
  'project_id AS projectId',
  'kind',
  'path',
  'path_key AS pathKey',
  'title',
  'author_id AS authorId',
  'editor_id AS editorId',
  'created_ms AS createdMs',
  'published_ms AS publishedMs',
  'edited_ms AS editedMs',
  'scheduled_ms AS scheduledMs',
  'is_pinned AS isPinned',
  'comment_count AS commentCount',
  'attachments',
  'activity_ms AS activityMs',
  'number',
  'status',
  'position',
  'card',
  'revision',
  'bytes',
  'envelope',
  'stamp',
  'deleted_ms AS deletedMs',
  'deleted_by AS deletedBy',
  'trash_path AS trashPath',
].join(', ')

export function fromStored(row: Stored): DocumentRecord {
  return {
    ...row,
    pathKey: keyOf(row),
    isPinned: row.isPinned === 1,
    attachments: attachmentsOf(row),
    card: row.card === null ? null : JSON.parse(row.card),
    stamp: row.stamp === null ? null : unpackStamp(row.stamp),
  }
}

/** A live row as an array, in the order of `liveColumns`. */
export type LiveValues = [
  id: Stored['id'],
  projectId: Stored['projectId'],
  kind: Stored['kind'],
  path: Stored['path'],
  /** Null: equals `path`. */
  pathKey: Stored['pathKey'] | null,
  title: Stored['title'],
  authorId: Stored['authorId'],
  /** Null: equals `authorId`. */
  editorId: Stored['editorId'] | null,
  createdMs: Stored['createdMs'],
  publishedMs: Stored['publishedMs'],
  editedMs: Stored['editedMs'],
  activityMs: Stored['activityMs'],
  revision: Stored['revision'],
  bytes: Stored['bytes'],
  envelope: Stored['envelope'],
  stamp: Stored['stamp'],
  /** JSON of the columns that few documents use. */
  rareJson: string | null,
]

type RareValues = [
  scheduledMs: Stored['scheduledMs'],
  isPinned: Stored['isPinned'],
  commentCount: Stored['commentCount'],
  attachments: Stored['attachments'],
  number: Stored['number'],
  status: Stored['status'],
  position: Stored['position'],
  card: Stored['card'],
]

/** As few as possible: passing a value takes longer than reading it. */
export const liveColumns = [
  'id',
  'project_id',
  'kind',
  'path',
  "nullif(path_key, '')",
  'title',
  'author_id',
  'iif(editor_id = author_id, NULL, editor_id)',
  'created_ms',
  'published_ms',
  'edited_ms',
  'activity_ms',
  'revision',
  'bytes',
  'envelope',
  'stamp',
  `iif(
    scheduled_ms IS NULL AND is_pinned = 0 AND comment_count = 0 AND attachments IS NULL AND number IS NULL
      AND status IS NULL AND position IS NULL AND card IS NULL,
    NULL,
    json_array(scheduled_ms, is_pinned, comment_count, attachments, number, status, position, card))`,
].join(', ')

const noRareValues: RareValues = [null, 0, 0, null, null, null, null, null]

/** Far faster than `fromStored`, for which SQLite creates an object for each row. */
export function fromLiveValues(values: LiveValues): DocumentRecord {
  const [id, projectId, kind, path, pathKey, title, authorId, editorId, createdMs] = values
  const [, , , , , , , , , publishedMs, editedMs, activityMs, revision, bytes, envelope, stamp, rareJson] =
    values
  const rareValues: RareValues = rareJson === null ? noRareValues : JSON.parse(rareJson)
  const [scheduledMs, isPinned, commentCount, attachments, number, status, position, card] = rareValues
  return {
    id,
    projectId,
    kind,
    path,
    pathKey: pathKey ?? path,
    title,
    authorId,
    editorId: editorId ?? authorId,
    createdMs,
    publishedMs,
    editedMs,
    scheduledMs,
    isPinned: isPinned === 1,
    commentCount,
    attachments: attachmentsOf({ attachments }),
    activityMs,
    number,
    status,
    position,
    card: card === null ? null : JSON.parse(card),
    revision,
    bytes,
    envelope,
    stamp: stamp === null ? null : unpackStamp(stamp),
    deletedMs: null,
    deletedBy: null,
    trashPath: null,
  }
}

export function toStored(record: DocumentRecord): Stored {
  return {
    ...record,
    pathKey: record.pathKey === record.path ? '' : record.pathKey,
    isPinned: record.isPinned ? 1 : 0,
    attachments: storedAttachments(record),
    card: record.card && JSON.stringify(record.card),
    stamp: record.stamp && packStamp(record.stamp),
  }
}

/** Most paths are their own keys. */
const keyOf = ({ path, pathKey }: Pick<Stored, 'path' | 'pathKey'>): string =>
  pathKey === '' ? path : pathKey

export const attachmentsOf = ({ attachments }: Pick<Stored, 'attachments'>): Attachment[] =>
  attachments === null ? [] : JSON.parse(attachments)

/** Null saves space: most documents have none. */
export const storedAttachments = ({ attachments }: Pick<Metadata, 'attachments'>): string | null =>
  attachments.length > 0 ? JSON.stringify(attachments) : null
