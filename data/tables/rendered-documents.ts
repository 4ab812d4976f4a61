import type { Connection } from '../database.ts'

/** A document as HTML. */
interface RenderedDocumentRow {
  documentId: string
  revision: string
  /** The version of the program that made it. */
  program: string
  /** SHA-256 of all else that it was made of. */
  source: Buffer
  /** JSON, deflated (zlib raw). */
  html: Buffer
}

/** Of each document at most one: of its newest revision. */
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
  const missing = db
    .prepare<[number, string], string>(`
    SELECT id FROM documents
    WHERE deleted_ms IS NULL AND bytes >= ? AND NOT EXISTS (
      SELECT 1 FROM rendered_documents AS rendered
      WHERE rendered.document_id = documents.id AND rendered.revision = documents.revision AND rendered.program = ?)
    ORDER BY activity_ms`)
    .pluck()
  const remove = db.prepare<[string]>('DELETE FROM rendered_documents WHERE document_id = ?')

  return {
    /** The HTML that was made of this very source. */
    find: (made: Omit<RenderedDocumentRow, 'html' | 'revision'>): Buffer | undefined => find.get(made),
    /** Keeps it in the place of an older one, unless the document has another revision by now, or was deleted. */
    put: (row: RenderedDocumentRow): void => void put.run(row),
    /**
     * The documents of at least so many bytes whose newest revision this program has not rendered, those with the latest
     * activity last.
     */
    missing: (program: string, bytes: number): string[] => missing.all(bytes, program),
    remove: (documentId: string): void => void remove.run(documentId),
  }
}
export type RenderedDocumentsTable = ReturnType<typeof renderedDocumentsTable>
