import type { Connection } from '../database.ts'

/** A committed write that is not durable on the disk yet. Paths are in the home. */
export interface JournalEntry {
  id: number
  documentId: string
  /** Null to delete the file. */
  path: string | null
  vacated: string | null
  revision: string
  /** Null for a new file. */
  previous: string | null
  /** The bytes' name in `.workroom/tmp`; null if the file only moves. */
  staged: string | null
}

export type JournalTable = ReturnType<typeof journalTable>

export function journalTable(db: Connection) {
  const add = db.prepare<[Omit<JournalEntry, 'id'>]>(`
    INSERT INTO journal (document_id, path, vacated, revision, previous, staged)
    VALUES (@documentId, @path, @vacated, @revision, @previous, @staged)`)
  const all = db.prepare<[], JournalEntry>(`
    SELECT id, document_id AS documentId, path, vacated, revision, previous, staged FROM journal ORDER BY id`)
  const removeAll = db.prepare('DELETE FROM journal')
  const remove = db.prepare<[number]>('DELETE FROM journal WHERE id = ?')
  // `0` follows `/`: what sorts in between is below the folder.
  const relocate = (column: 'path' | 'vacated') =>
    db.prepare<[{ from: string; to: string }]>(`
      UPDATE journal SET ${column} = @to || substr(${column}, length(@from) + 1)
      WHERE ${column} > @from || '/' AND ${column} < @from || '0'`)
  const relocations = [relocate('path'), relocate('vacated')]

  return {
    add: (record: Omit<JournalEntry, 'id'>): number => Number(add.run(record).lastInsertRowid),
    all: (): JournalEntry[] => all.all(),
    removeAll: (): void => void removeAll.run(),
    remove: (id: number): boolean => remove.run(id).changes === 1,
    relocate: (from: string, to: string): void => {
      for (const statement of relocations) statement.run({ from, to })
    },
  }
}
