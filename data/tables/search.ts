import type { Connection } from '../database.ts'

/** What can be searched, by the id of what it stands in: text as a reader sees it. */
export function searchTable(db: Connection) {
  const insertEntry = db.prepare<[string, string]>(
    'INSERT INTO search_entries (type, subject_id) VALUES (?, ?)',
  )
  const insertText = db.prepare<[number | bigint, string, string]>(
    'INSERT INTO search_text (rowid, title, body) VALUES (?, ?, ?)',
  )
  const find = db.prepare<[string], number>('SELECT id FROM search_entries WHERE subject_id = ?').pluck()
  const updateText = db.prepare<[string, string, number]>(
    'UPDATE search_text SET title = ?, body = ? WHERE rowid = ?',
  )
  const removeText = db.prepare<[number]>('DELETE FROM search_text WHERE rowid = ?')
  const removeEntry = db.prepare<[number]>('DELETE FROM search_entries WHERE id = ?')
  return {
    /** @throws SqliteError where the subject has an entry already */
    add: (type: 'message', subjectId: string, text: { title: string; body: string }): void => {
      insertText.run(insertEntry.run(type, subjectId).lastInsertRowid, text.title, text.body)
    },
    /** @returns false when the subject has no entry */
    change: (subjectId: string, text: { title: string; body: string }): boolean => {
      const id = find.get(subjectId)
      return id !== undefined && updateText.run(text.title, text.body, id).changes === 1
    },
    /** @returns false when the subject has no entry */
    remove: (subjectId: string): boolean => {
      const id = find.get(subjectId)
      if (id === undefined) return false
      removeText.run(id)
      return removeEntry.run(id).changes === 1
    },
  }
}
export type SearchTable = ReturnType<typeof searchTable>
