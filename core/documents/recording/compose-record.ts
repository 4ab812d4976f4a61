import { generateKeyBetween } from 'fractional-indexing'
import type { Attachment, CheckedStamp, DocumentRecord } from '../../../data/tables/documents.ts'
import { nameKey } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { Analysis, ParsedContent } from '../../markdown/index.ts'
import type { RevisionContent } from '../catalogue/revision-contents.ts'
import { envelopeOf } from '../content/envelope.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { cardFields, statusInFile } from '../model/card-fields.ts'
import { type Change, type ChangeOrigin, zeroBlockIds } from '../model/change.ts'
import { type ColumnName, doneColumn } from '../model/columns.ts'
import { bareNameOf, columnOf } from '../model/document-paths.ts'
import { scheduledMsOf } from '../model/schedule.ts'
import type { DocumentKind } from '../model/types.ts'

type ComposingDeps = Pick<DocumentsDeps, 'documents' | 'members' | 'newId'>

export interface RecordInput {
  before: DocumentRecord | null
  parsedBefore: ParsedContent | null
  project: Project
  kind: DocumentKind
  column: ColumnName | null
  /** Path in the project; a function if it depends on the id, title (null if there is none) or number. */
  path:
    | string
    | ((nameParts: { id: string; title: string | null; number: number | null; atMs: number }) => string)
  digest: ParsedContent
  revision: string
  bytes: number
  stamp: CheckedStamp | null
  editorId: string
  /** Set only if an existing document gets another author. */
  authorId?: string
  atMs: number
  /** When a scheduled draft was due. */
  publishedMs?: number
  /** The id and attachments of a new document, if allotted before. */
  newDocument?: { id: string; attachments: Attachment[] }
  /** Default: unchanged, or the end of a new column. */
  position?: string
}

export interface DocumentLocation
  extends Pick<
    RecordInput,
    | 'before'
    | 'project'
    | 'kind'
    | 'column'
    | 'path'
    | 'stamp'
    | 'authorId'
    | 'publishedMs'
    | 'newDocument'
    | 'position'
  > {
  contentBefore: RevisionContent | null
  requestedKey?: string
}

/** Must be called inside a commit. @param analysis null if the bytes stay */
export function composeChange(
  deps: ComposingDeps,
  origin: ChangeOrigin,
  location: DocumentLocation,
  analysis: Analysis | null,
): Change {
  const { before, contentBefore, requestedKey } = location
  const after = composeRecord(deps, {
    ...location,
    parsedBefore: contentBefore?.digest ?? null,
    digest: analysis?.digest ?? contentBefore!.digest,
    revision: analysis?.revision ?? before!.revision,
    bytes: analysis?.stored.length ?? before!.bytes,
    editorId: origin.actorId,
    atMs: origin.atMs,
  })
  const content = analysis && analysis.revision !== before?.revision ? analysis : null
  return {
    ...origin,
    before,
    after,
    content,
    blockIds: analysis?.blockIds ?? zeroBlockIds,
    ...(requestedKey !== undefined && { requestedKey }),
  }
}

export function composeRecord(deps: ComposingDeps, input: RecordInput): DocumentRecord {
  const { before, project, kind, column, digest, editorId, atMs } = input
  const isNew = before === null
  const isPublication = kind === 'post' && !isNew && before.kind === 'draft'
  const isEdit = !isNew && before.revision !== input.revision
  const id = before?.id ?? input.newDocument?.id ?? deps.newId('doc')
  const authorId = input.authorId ?? before?.authorId ?? editorId
  const publishedMs = isPublication ? (input.publishedMs ?? atMs) : (before?.publishedMs ?? atMs)
  const scheduledMs = kind === 'draft' ? scheduledMsOf(digest.frontmatter?.fields ?? {}) : null
  const card = column ? composeCard(deps, input, column) : noCardFields(before)
  const nameParts = { id, title: digest.title, number: card.number, atMs }
  const path = typeof input.path === 'string' ? input.path : input.path(nameParts)
  // One literal: for hundreds of thousands of documents, spreading would take half of the time.
  const record: DocumentRecord = {
    commentCount: before?.commentCount ?? 0,
    isPinned: before?.isPinned ?? false,
    attachments: before?.attachments ?? input.newDocument?.attachments ?? [],
    number: card.number,
    status: card.status,
    position: card.position,
    card: card.card,
    id,
    projectId: project.id,
    kind,
    path,
    pathKey: nameKey(path),
    title: digest.title ?? bareNameOf({ path }),
    authorId,
    editorId: isNew || isEdit ? editorId : before.editorId,
    createdMs: before?.createdMs ?? atMs,
    publishedMs,
    // Changes before publication are not edits of the post.
    editedMs: isPublication ? null : isEdit ? atMs : (before?.editedMs ?? null),
    scheduledMs: Number.isFinite(scheduledMs) ? scheduledMs : null,
    activityMs: isPublication ? publishedMs : atMs,
    revision: input.revision,
    bytes: input.bytes,
    stamp: input.stamp,
    deletedMs: null,
    deletedBy: null,
    trashPath: null,
    // Changes only with a new revision.
    envelope: before?.envelope ?? '',
  }
  if (before && !isEdit) return record
  const author = deps.members.find(authorId)!
  record.envelope = envelopeOf(record, digest, { author, names: deps.members.names() })
  return record
}

/** A card that becomes another kind keeps its number, which is never reused. */
const noCardFields = (before: DocumentRecord | null) => ({
  number: before?.number ?? null,
  status: null,
  position: null,
  card: null,
})

function composeCard(deps: ComposingDeps, input: RecordInput, column: ColumnName) {
  const { before, digest, project, path } = input
  const filename = typeof path === 'string' ? path.split('/').at(-1)! : ''
  const fields = digest.frontmatter?.fields ?? {}
  const isNumbered = before !== null && before.number !== null && before.projectId === project.id
  const number = isNumbered ? before.number! : nextCardNumber(deps, project, filename)
  return {
    number,
    status: statusAfter(input, column),
    position: input.position ?? positionInColumn(deps, input, { column, number }),
    card: cardFields(fields),
  }
}

/** A file named with an available number gets it, other cards the project's next. No number is reused. */
function nextCardNumber({ documents }: ComposingDeps, project: Project, filename: string): number {
  const numberInName = Number(/^(\d{1,7})-/.exec(filename)?.[1] ?? 0)
  if (numberInName > 0 && !documents.hasNumber(project.id, numberInName)) return numberInName
  return documents.highestNumber(project.id) + 1
}

/**
 * A card that enters a column is its last one. A new card comes after those with lower numbers, so that files found
 * together are in the order of their numbers, whichever was read first.
 */
function positionInColumn(
  { documents }: ComposingDeps,
  { before, project }: RecordInput,
  { column, number }: { column: ColumnName; number: number },
): string | null {
  if (before && columnOf(before) === column) return before.position
  const folder = `board/${column}`
  if (before) return generateKeyBetween(documents.lastPosition(project.id, folder), null)
  const { above, below } = documents.positionsAround(project.id, folder, number)
  return generateKeyBetween(above, below)
}

/**
 * Entering Done closes a card, leaving it reopens it; otherwise a changed `status` of the author counts. A
 * card moved on the disk is closed even if its file, which is never rewritten, says otherwise.
 */
function statusAfter({ before, parsedBefore, digest }: RecordInput, column: ColumnName): string {
  const status = statusInFile(digest.frontmatter?.fields ?? {})
  const statusBefore = parsedBefore && statusInFile(parsedBefore.frontmatter?.fields ?? {})
  const columnBefore = before && columnOf(before)
  const defaultStatus = column === doneColumn ? 'closed' : 'active'
  if (before?.kind !== 'card') return status ?? defaultStatus
  if (columnBefore !== column) {
    if (column === doneColumn) return 'closed'
    if (columnBefore === doneColumn) return status === null || status === 'closed' ? 'active' : status
  }
  return status === statusBefore ? (before.status ?? defaultStatus) : (status ?? defaultStatus)
}
