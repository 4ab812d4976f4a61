import type { Connection } from '../database.ts'
import { type CheckedStamp, packStamp } from '../packed-stamps.ts'
import { deletedDocuments } from './deleted-documents.ts'
import {
  attachmentsOf,
  columns,
  type DocumentRecord,
  fromLiveValues,
  fromStored,
  type LiveValues,
  liveColumns,
  type Metadata,
  type Stored,
  storedAttachments,
  toStored,
} from './document-rows.ts'

export type { CheckedStamp } from '../packed-stamps.ts'
export type { Attachment, CardFields, DocumentRecord, Metadata } from './document-rows.ts'

/** What `updateInPlace` leaves unchanged. */
const fixedColumns = [
  'id',
  'projectId',
  'kind',
  'path',
  'pathKey',
  'authorId',
  'createdMs',
  'scheduledMs',
  'number',
  'deletedMs',
  'deletedBy',
  'trashPath',
] as const

/** Nothing is published in an archived project. */
const isInOpenProject =
  'NOT EXISTS (SELECT 1 FROM projects WHERE projects.id = project_id AND (archived_ms IS NOT NULL OR projects.deleted_ms IS NOT NULL))'

export type DocumentsTable = ReturnType<typeof documentsTable>

export function documentsTable(db: Connection) {
  return {
    ...deletedDocuments(db),
    ...reads(db),
    ...writes(db),
    ...paths(db),
    ...schedule(db),
    ...cards(db),
    ...metadata(db),
  }
}

function reads(db: Connection) {
  const live = db.prepare<[], Stored>(`SELECT ${columns} FROM documents WHERE deleted_ms IS NULL`)
  const eachLive = db
    .prepare<[], LiveValues>(`SELECT ${liveColumns} FROM documents WHERE deleted_ms IS NULL`)
    .raw()
  const find = db.prepare<[string], Stored>(`SELECT ${columns} FROM documents WHERE id = ?`)
  const withAttachments = db.prepare<[], Stored>(
    `SELECT ${columns} FROM documents WHERE attachments IS NOT NULL`,
  )
  const writtenSince = db
    .prepare<[string, number, string, number], string>(`
    SELECT id FROM documents
    WHERE project_id IN (SELECT value FROM json_each(?)) AND deleted_ms IS NULL AND kind <> 'draft'
      AND ifnull(edited_ms, published_ms) > ? AND editor_id <> ?
    ORDER BY ifnull(edited_ms, published_ms) DESC, id DESC LIMIT ?`)
    .pluck()
  return {
    live: (): DocumentRecord[] => live.all().map(fromStored),
    /** As `live`, one at a time. */
    *eachLive(): Generator<DocumentRecord> {
      for (const values of eachLive.iterate()) yield fromLiveValues(values)
    },
    find: (id: string): DocumentRecord | undefined => {
      const row = find.get(id)
      return row && fromStored(row)
    },
    withAttachments: (): DocumentRecord[] => withAttachments.all().map(fromStored),
    /** Newest first; no drafts. */
    writtenSince: (
      projectIds: readonly string[],
      sinceMs: number,
      writerId: string,
      limit: number,
    ): string[] => writtenSince.all(JSON.stringify(projectIds), sinceMs, writerId, limit),
  }
}

function writes(db: Connection) {
  const put = db.prepare<[Stored]>(`
    INSERT INTO documents (
      id, project_id, kind, path, path_key, title, author_id, editor_id, created_ms, published_ms, edited_ms,
      scheduled_ms, is_pinned, comment_count, attachments, activity_ms, number, status, position, card, revision,
      bytes, envelope, stamp, deleted_ms, deleted_by, trash_path
    ) VALUES (
      @id, @projectId, @kind, @path, @pathKey, @title, @authorId, @editorId, @createdMs, @publishedMs, @editedMs,
      @scheduledMs, @isPinned, @commentCount, @attachments, @activityMs, @number, @status, @position, @card, @revision,
      @bytes, @envelope, @stamp, @deletedMs, @deletedBy, @trashPath
    ) ON CONFLICT (id) DO UPDATE SET
      project_id = @projectId, kind = @kind, path = @path, path_key = @pathKey, title = @title,
      author_id = @authorId, editor_id = @editorId, published_ms = @publishedMs, edited_ms = @editedMs,
      scheduled_ms = @scheduledMs, is_pinned = @isPinned, comment_count = @commentCount,
      attachments = @attachments, activity_ms = @activityMs, number = @number, status = @status,
      position = @position, card = @card, revision = @revision, bytes = @bytes, envelope = @envelope,
      stamp = @stamp, deleted_ms = @deletedMs, deleted_by = @deletedBy, trash_path = @trashPath`)
  // Leaves out the columns of most indexes, which then need not be written again.
  const updateInPlace = db.prepare<[Stored]>(`
    UPDATE documents SET
      title = @title, editor_id = @editorId, published_ms = @publishedMs, edited_ms = @editedMs,
      is_pinned = @isPinned, comment_count = @commentCount, attachments = @attachments, activity_ms = @activityMs,
      status = @status, position = @position, card = @card, revision = @revision, bytes = @bytes,
      envelope = @envelope, stamp = @stamp
    WHERE id = @id`)
  const setStamp = db.prepare<[string, string, string]>(
    'UPDATE documents SET stamp = ? WHERE id = ? AND revision = ?',
  )
  const forgetStamps = db.prepare('UPDATE documents SET stamp = NULL')
  const erase = db.prepare<[string]>('DELETE FROM documents WHERE id = ?')
  return {
    put: (record: DocumentRecord): void => {
      put.run(toStored(record))
    },
    /** Writes fewer indexes if the document keeps its path. */
    replace: (before: DocumentRecord, record: DocumentRecord): void => {
      const row = toStored(record)
      const canUpdateInPlace = fixedColumns.every((column) => before[column] === record[column])
      if (!canUpdateInPlace || updateInPlace.run(row).changes === 0) put.run(row)
    },
    /** Does nothing if the revision has changed. */
    setStamp: (id: string, revision: string, stamp: CheckedStamp): boolean =>
      setStamp.run(packStamp(stamp), id, revision).changes === 1,
    /** For files that were not verified, as after a restore. */
    forgetStamps: (): void => void forgetStamps.run(),
    erase: (id: string): boolean => erase.run(id).changes === 1,
  }
}

function paths(db: Connection) {
  const isTaken = db
    .prepare<{ projectId: string; pathKey: string }, number>(`
    SELECT EXISTS (
      SELECT 1 FROM documents
      WHERE project_id = @projectId AND path = @pathKey AND path_key = '' AND deleted_ms IS NULL
    ) OR EXISTS (
      SELECT 1 FROM documents
      WHERE project_id = @projectId AND path_key = @pathKey AND path_key <> '' AND deleted_ms IS NULL
    )`)
    .pluck()
  const isAt = db
    .prepare<[string, string], number>(
      'SELECT 1 FROM documents WHERE project_id = ? AND path = ? AND deleted_ms IS NULL',
    )
    .pluck()
  // `0` follows `/`: what sorts in between is below the folder.
  const idsBelow = db
    .prepare<[{ projectId: string; folder: string }], string>(`
    SELECT id FROM documents
    WHERE project_id = @projectId AND deleted_ms IS NULL AND path > @folder || '/' AND path < @folder || '0'
    ORDER BY path`)
    .pluck()
  const vacate = db.prepare<[string]>("UPDATE documents SET path = '/' || id WHERE id = ?")
  return {
    isTaken: (projectId: string, pathKey: string): boolean => isTaken.get({ projectId, pathKey }) === 1,
    /** Compares the exact path. */
    isAt: (projectId: string, path: string): boolean => isAt.get(projectId, path) === 1,
    /** By path, with those in sub-folders. */
    idsBelow: (projectId: string, folder: string): string[] => idsBelow.all({ projectId, folder }),
    /** Frees a document's path in the same transaction, so that two documents can swap paths. */
    vacate: (id: string): void => {
      vacate.run(id)
    },
  }
}

function schedule(db: Connection) {
  const nextScheduled = db
    .prepare<[], number | null>(`
    SELECT min(scheduled_ms) FROM documents
    WHERE scheduled_ms IS NOT NULL AND deleted_ms IS NULL AND kind = 'draft' AND ${isInOpenProject}`)
    .pluck()
  const dueBy = db
    .prepare<[number], string>(`
    SELECT id FROM documents
    WHERE scheduled_ms <= ? AND deleted_ms IS NULL AND kind = 'draft' AND ${isInOpenProject}
    ORDER BY scheduled_ms, id`)
    .pluck()
  return {
    /** In projects that are not archived. */
    nextScheduledMs: (): number | null => nextScheduled.get() ?? null,
    dueBy: (timeMs: number): string[] => dueBy.all(timeMs),
  }
}

/** The positions between which a card belongs; null at an end of its column. */
interface CardNeighbours {
  above: string | null
  below: string | null
}

function cards(db: Connection) {
  // Two queries instead of OR, so that SQLite uses the indexes. A key is stored only where it differs from the path.
  const range = (column: 'path' | 'path_key', condition: string) => `
    SELECT number, position FROM documents
    WHERE project_id = @projectId AND kind = 'card' AND deleted_ms IS NULL
    AND ${column} > @folder || '/' AND ${column} < @folder || '0' AND ${condition}`
  const inColumn = (condition = 'true') =>
    `(${range('path', condition)} UNION ALL ${range('path_key', `path_key <> '' AND ${condition}`)})`
  const lastPosition = db
    .prepare<[{ projectId: string; folder: string }], string | null>(
      `SELECT max(position) FROM ${inColumn()}`,
    )
    .pluck()
  const neighbours = db.prepare<[{ projectId: string; folder: string; number: number }], CardNeighbours>(`
    WITH lower AS MATERIALIZED (SELECT max(position) AS position FROM ${inColumn('number < @number')})
    SELECT position AS above, (
      SELECT min(position) FROM ${inColumn()} WHERE position > ifnull(lower.position, '')) AS below
    FROM lower`)
  const highestNumber = db
    .prepare<[string], number | null>('SELECT max(number) FROM documents WHERE project_id = ?')
    .pluck()
  const hasNumber = db
    .prepare<[string, number], number>('SELECT 1 FROM documents WHERE project_id = ? AND number = ?')
    .pluck()
  return {
    /** @param folder `board/<column>` */
    lastPosition: (projectId: string, folder: string): string | null =>
      lastPosition.get({ projectId, folder }) ?? null,
    /** Directly after the last of the cards of `board/<column>` with a lower number. */
    positionsAround: (projectId: string, folder: string, number: number): CardNeighbours =>
      neighbours.get({ projectId, folder, number })!,
    highestNumber: (projectId: string): number => highestNumber.get(projectId) ?? 0,
    hasNumber: (projectId: string, number: number): boolean => hasNumber.get(projectId, number) === 1,
  }
}

function metadata(db: Connection) {
  const find = db.prepare<[string], Pick<Stored, keyof Metadata>>(`
    SELECT comment_count AS commentCount, is_pinned AS isPinned, activity_ms AS activityMs,
      attachments
    FROM documents WHERE id = ?`)
  const update = db.prepare<[Pick<Stored, 'id' | keyof Metadata>]>(`
    UPDATE documents SET comment_count = @commentCount, is_pinned = @isPinned, activity_ms = @activityMs,
      attachments = @attachments
    WHERE id = @id`)
  return {
    metadata: (id: string): Metadata | undefined => {
      const row = find.get(id)
      return row && { ...row, isPinned: row.isPinned === 1, attachments: attachmentsOf(row) }
    },
    setMetadata: (id: string, { commentCount, isPinned, activityMs, attachments }: Metadata): void => {
      update.run({
        id,
        commentCount,
        isPinned: isPinned ? 1 : 0,
        activityMs,
        attachments: storedAttachments({ attachments }),
      })
    },
  }
}
