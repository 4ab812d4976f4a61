import type { Connection } from '../database.ts'

interface RenderedDocumentRow {
  documentId: string
  revision: string
  program: string
  /** SHA-256 of everything else that it depends on. */
  source: Buffer
  /** JSON, deflated (zlib raw). */
  html: Buffer
}

/** At most one for each document: of its newest revision. */
export function renderedDocumentsTable(db: Connection) {
  const find = db
    .prepare<[Omit<RenderedDocumentRow, 'html' | 'revision'>], Buffer>(`
    SELECT html FROM rendered_documents
    WHERE document_id = @documentId AND program = @program AND source = @source`)
    .pluck()
  const put = db.prepare<[RenderedDocumentRow]>(`
    INSERT INTO rendered_documents (document_id, revision, program, source, html)
    SELECT @documentId, @revision, @program, @source, @html FROM documents
    WHERE id = @documentId AND revision = @revision AND deleted_ms IS NULL
    ON CONFLICT (document_id) DO UPDATE SET
      revision = excluded.revision, program = excluded.program, source = excluded.source, html = excluded.html`)
  const remove = db.prepare<[string]>('DELETE FROM rendered_documents WHERE document_id = ?')

  return {
    find: (key: Omit<RenderedDocumentRow, 'html' | 'revision'>): Buffer | undefined => find.get(key),
    put: (row: RenderedDocumentRow): void => void put.run(row),
    remove: (documentId: string): void => void remove.run(documentId),
  }
}
export type RenderedDocumentsTable = ReturnType<typeof renderedDocumentsTable>
