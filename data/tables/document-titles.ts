import type { Connection } from '../database.ts'
import type { DocumentFilter } from './search.ts'

/** Matches are counted up to here. */
const maxCounted = 5000

export function documentTitlesTable(db: Connection) {
  const entryOf = db.prepare<[string], number>('SELECT id FROM search_entries WHERE subject_id = ?').pluck()
  // Not with a SELECT: FTS5 would write what it has gathered to the database for each title.
  const put = db.prepare<[number, string]>(
    'INSERT OR REPLACE INTO document_titles (rowid, title) VALUES (CAST(? AS INTEGER), ?)',
  )
  const remove = db.prepare<[string]>(
    'DELETE FROM document_titles WHERE rowid = (SELECT id FROM search_entries WHERE subject_id = ?)',
  )
  const counting = (table: 'document_titles' | 'uploaded_names') =>
    db
      .prepare<[string], number>(
        `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ${maxCounted})`,
      )
      .pluck()
  const countTitles = counting('document_titles')
  const countFiles = counting('uploaded_names')
  const find = db
    .prepare<{ words: string; projects: string; kinds: string; memberId: string; limit: number }, string>(`
    SELECT documents.id FROM (
      SELECT rowid AS entryId FROM document_titles WHERE document_titles MATCH @words ORDER BY rowid DESC LIMIT @limit
    ) JOIN search_entries ON search_entries.id = entryId JOIN documents ON documents.id = subject_id
    WHERE deleted_ms IS NULL AND project_id IN (SELECT value FROM json_each(@projects))
      AND kind IN (SELECT value FROM json_each(@kinds)) AND (kind <> 'draft' OR author_id = @memberId)`)
    .pluck()
  return {
    /** The document must have a search entry. */
    put: (id: string, title: string): void => {
      const entry = entryOf.get(id)
      if (entry !== undefined) put.run(entry, ` ${title} `)
    },
    /** Must be called before the document's entry is removed. */
    remove: (id: string): void => {
      remove.run(id)
    },
    /** Counts titles and names of uploaded files. `words` are in FTS5's syntax. */
    count: (words: string): number => countTitles.get(words)! + countFiles.get(words)!,
    /** The newest matches that a reader may see. */
    find: (words: string, { projects, kinds, memberId }: DocumentFilter, limit: number): string[] =>
      find.all({
        words,
        projects: JSON.stringify(projects),
        kinds: JSON.stringify(kinds),
        memberId,
        limit,
      }),
  }
}
export type DocumentTitlesTable = ReturnType<typeof documentTitlesTable>
