import type { Connection } from '../database.ts'

/** A document as HTML. */
export interface RenderedDocumentRow {
  documentId: string
  /** SHA-256 of all that it was made of. */
  source: Buffer
  /** JSON, deflated (zlib raw). */
  html: Buffer
}

/** Of each document at most one: of its newest revision. */
export function renderedDocumentsTable(db: Connection) {
  const find = db
    .prepare<[string, Buffer], Buffer>(
      'SELECT html FROM rendered_documents WHERE document_id = ? AND source = ?',
    )
    .pluck()
  const put = db.prepare<[RenderedDocumentRow & { revision: string }]>(`
    INSERT INTO rendered_documents (document_id, source, html)
    SELECT @documentId, @source, @html FROM documents
    WHERE id = @documentId AND revision = @revision AND deleted_ms IS NULL
    ON CONFLICT (document_id) DO UPDATE SET source = excluded.source, html = excluded.html`)
  const remove = db.prepare<[string]>('DELETE FROM rendered_documents WHERE document_id = ?')

  return {
    /** The HTML that was made of this very source. */
    find: (documentId: string, source: Buffer): Buffer | undefined => find.get(documentId, source),
    /** Keeps it in the place of an older one, unless the document has another revision by now, or was deleted. */
    put: (row: RenderedDocumentRow & { revision: string }): void => void put.run(row),
    remove: (documentId: string): void => void remove.run(documentId),
  }
}
export type RenderedDocumentsTable = ReturnType<typeof renderedDocumentsTable>
