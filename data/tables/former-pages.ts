import type { Connection } from '../database.ts'

/** Where a document was read. */
export interface FormerPage {
  projectId: string
  /** Within the project's pages, folded for comparing. */
  key: string
  /** Of a draft its author's id, else empty: two members may each have a draft of one name. */
  authorId: string
}

export type FormerPagesTable = ReturnType<typeof formerPagesTable>

/** Pages that documents had before they were moved or published. Whatever stands there now comes first. */
export function formerPagesTable(db: Connection) {
  const put = db.prepare<[FormerPage & { documentId: string }]>(`
    INSERT INTO former_pages (project_id, page_key, author_id, document_id)
    VALUES (@projectId, @key, @authorId, @documentId)
    ON CONFLICT DO UPDATE SET document_id = excluded.document_id`)
  const find = db
    .prepare<[FormerPage], string>(`
    SELECT document_id FROM former_pages
    WHERE project_id = @projectId AND page_key = @key AND author_id = @authorId`)
    .pluck()
  const removeAll = db.prepare<[string]>('DELETE FROM former_pages WHERE document_id = ?')

  return {
    /** Takes the place of the one that was read there before. */
    put: (page: FormerPage, documentId: string): void => void put.run({ ...page, documentId }),
    /** The id of the document that was read there last. */
    find: (page: FormerPage): string | undefined => find.get(page),
    /** For a document that is let go of. */
    removeAll: (documentId: string): void => void removeAll.run(documentId),
  }
}
