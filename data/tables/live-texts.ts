import type { Connection } from '../database.ts'

export interface LiveTextRow {
  documentId: string
  epoch: string
  baseRevision: string
  baseVersion: number
  baseUnsaved: string // JSON of a change set
  isSaved: 0 | 1
  changedMs: number // Unix time, milliseconds
}

export interface LiveUpdateRow {
  documentId: string
  version: number // of the text after the step
  clientId: string
  seq: number
  memberId: string
  origin: string
  changes: string // JSON of a change set
}

export function liveTextsTable(db: Connection) {
  const columns = `document_id AS documentId, epoch, base_revision AS baseRevision, base_version AS baseVersion,
    base_unsaved AS baseUnsaved, is_saved AS isSaved, changed_ms AS changedMs`
  const find = db.prepare<[string], LiveTextRow>(`SELECT ${columns} FROM live_texts WHERE document_id = ?`)
  const unsaved = db.prepare<[], string>('SELECT document_id FROM live_texts WHERE is_saved = 0').pluck()
  const put = db.prepare<LiveTextRow>(`
    INSERT INTO live_texts (document_id, epoch, base_revision, base_version, base_unsaved, is_saved, changed_ms)
    VALUES (@documentId, @epoch, @baseRevision, @baseVersion, @baseUnsaved, @isSaved, @changedMs)
    ON CONFLICT DO UPDATE SET epoch = @epoch, base_revision = @baseRevision, base_version = @baseVersion,
      base_unsaved = @baseUnsaved, is_saved = @isSaved, changed_ms = @changedMs`)
  const markUnsaved = db.prepare<[number, string]>(
    'UPDATE live_texts SET is_saved = 0, changed_ms = ? WHERE document_id = ? AND is_saved = 1',
  )
  const remove = db.prepare<[string]>('DELETE FROM live_texts WHERE document_id = ?')
  const purge = db.prepare<[number]>('DELETE FROM live_texts WHERE is_saved = 1 AND changed_ms < ?')
  const updates = db.prepare<[string], LiveUpdateRow>(`
    SELECT document_id AS documentId, version, client_id AS clientId, seq, member_id AS memberId, origin, changes
    FROM live_steps WHERE document_id = ? ORDER BY version`)
  const append = db.prepare<LiveUpdateRow>(`
    INSERT INTO live_steps (document_id, version, client_id, seq, member_id, origin, changes)
    VALUES (@documentId, @version, @clientId, @seq, @memberId, @origin, @changes)`)
  const trim = db.prepare<[string, number]>('DELETE FROM live_steps WHERE document_id = ? AND version <= ?')
  return {
    find: (documentId: string): LiveTextRow | undefined => find.get(documentId),
    /** Documents whose text is not wholly in a revision. */
    unsaved: (): string[] => unsaved.all(),
    put: (row: LiveTextRow): void => void put.run(row),
    /** Writes nothing if it is unsaved already. */
    markUnsaved: (documentId: string, changedMs: number): void => void markUnsaved.run(changedMs, documentId),
    /** Includes its steps. */
    remove: (documentId: string): void => void remove.run(documentId),
    /** Removes saved texts that changed before a time. */
    purge: (beforeMs: number): void => void purge.run(beforeMs),
    updates: (documentId: string): LiveUpdateRow[] => updates.all(documentId),
    append: (row: LiveUpdateRow): void => void append.run(row),
    trim: (documentId: string, version: number): void => void trim.run(documentId, version),
  }
}
export type LiveTextsTable = ReturnType<typeof liveTextsTable>
