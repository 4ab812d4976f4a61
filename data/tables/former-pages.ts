import type { Connection } from '../database.ts'

export interface FormerPage {
  projectId: string
  /** In the project's pages, folded for comparison. */
  key: string
  /** The author's id for a draft, else empty: two members may have drafts of one name. */
  authorId: string
}

export type FormerPagesTable = ReturnType<typeof formerPagesTable>

/** Former pages of documents. A current page takes precedence. */
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
    put: (page: FormerPage, documentId: string): void => void put.run({ ...page, documentId }),
    find: (page: FormerPage): string | undefined => find.get(page),
    removeAll: (documentId: string): void => void removeAll.run(documentId),
  }
}
