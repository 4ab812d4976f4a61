import type { Connection } from '../database.ts'

export interface FolderMoveRecord {
  id: number
  from: string
  to: string
  /** Where the folder at `to` is moved. */
  aside: string | null
  /** Whether the documents' rows refer to `to`. */
  isCommitted: boolean
}

type Stored = Omit<FolderMoveRecord, 'isCommitted'> & { isCommitted: number }

export type FolderMovesTable = ReturnType<typeof folderMovesTable>

export function folderMovesTable(db: Connection) {
  const add = db.prepare<[Omit<Stored, 'id' | 'isCommitted'>]>(`
    INSERT INTO folder_moves (from_path, to_path, aside_path) VALUES (@from, @to, @aside)`)
  const all = db.prepare<[], Stored>(`
    SELECT id, from_path AS "from", to_path AS "to", aside_path AS aside, is_committed AS isCommitted
    FROM folder_moves ORDER BY id`)
  const setCommitted = db.prepare<[number]>('UPDATE folder_moves SET is_committed = 1 WHERE id = ?')
  const remove = db.prepare<[number]>('DELETE FROM folder_moves WHERE id = ?')

  return {
    add: (record: Omit<FolderMoveRecord, 'id' | 'isCommitted'>): number =>
      Number(add.run(record).lastInsertRowid),
    all: (): FolderMoveRecord[] => all.all().map((row) => ({ ...row, isCommitted: row.isCommitted === 1 })),
    setCommitted: (id: number): boolean => setCommitted.run(id).changes === 1,
    remove: (id: number): boolean => remove.run(id).changes === 1,
  }
}
