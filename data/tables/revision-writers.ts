import type { Connection } from '../database.ts'

interface RevisionWriterRow {
  documentId: string
  revision: string
  memberId: string
  characters: number
}

export function revisionWritersTable(db: Connection) {
  const put = db.prepare<RevisionWriterRow>(`
    INSERT INTO revision_writers (document_id, revision, member_id, characters)
    VALUES (@documentId, @revision, @memberId, @characters)
    ON CONFLICT DO UPDATE SET characters = @characters`)
  const list = db.prepare<[string], RevisionWriterRow>(`
    SELECT document_id AS documentId, revision, member_id AS memberId, characters
    FROM revision_writers WHERE document_id = ? ORDER BY revision, characters DESC, member_id`)
  return {
    put: (row: RevisionWriterRow): void => void put.run(row),
    /** The most characters first in each revision. */
    list: (documentId: string): RevisionWriterRow[] => list.all(documentId),
  }
}
export type RevisionWritersTable = ReturnType<typeof revisionWritersTable>
