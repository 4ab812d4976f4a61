import { decompress, maxDictionaryBytes, unpackContext } from '../compression.ts'
import type { Connection } from '../database.ts'

export type LinkContexts = ReturnType<typeof linkContexts>

/** The texts around links, which are stored with the text of their document. */
export function linkContexts(db: Connection) {
  const find = db.prepare<
    { documentId: string; maxDictionaryBytes: number },
    { packed: Buffer; fileBytes: number; content: Buffer | null }
  >(`
    SELECT text AS packed, revisions.bytes AS fileBytes,
      iif(revisions.bytes <= @maxDictionaryBytes, content, NULL) AS content
    FROM search_entries JOIN revisions
      ON document_id = subject_id AND revisions.revision = search_entries.revision
    WHERE subject_id = @documentId AND type = 'document' AND text IS NOT NULL
    ORDER BY revisions.id DESC LIMIT 1`)
  return {
    /** @param place of the link among those of the document. Returns undefined before the document's text is stored. */
    at(documentId: string, place: number): string | undefined {
      const row = find.get({ documentId, maxDictionaryBytes })
      return row && unpackContext(row.packed, place, row.fileBytes, () => decompress(row.content!))
    },
  }
}
