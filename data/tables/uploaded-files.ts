import type { Connection } from '../database.ts'

interface FolderRow {
  id: number
  path: string // below files/; '' for files/ itself
  stamp: string | null // null: must be listed again
}

export interface UploadedFileRow {
  id: number
  projectId: string
  folder: string
  name: string
}

interface Page {
  projects: readonly string[] // ids
  before: number // id
  limit: number
}

export function uploadedFilesTable(db: Connection) {
  const folders = db.prepare<[string], FolderRow>(
    'SELECT id, path, stamp FROM uploaded_folders WHERE project_id = ? ORDER BY path',
  )
  const names = db.prepare<[number], string>('SELECT name FROM uploaded_files WHERE folder_id = ?').pluck()
  const count = db
    .prepare<[string], number>(
      'SELECT count(*) FROM uploaded_files JOIN uploaded_folders ON uploaded_folders.id = folder_id WHERE project_id = ?',
    )
    .pluck()
  const addFolder = db
    .prepare<[string, string], number>(
      `INSERT INTO uploaded_folders (project_id, path) VALUES (?, ?)
      ON CONFLICT (project_id, path) DO UPDATE SET stamp = NULL RETURNING id`,
    )
    .pluck()
  const setStamp = db.prepare<[string | null, number]>('UPDATE uploaded_folders SET stamp = ? WHERE id = ?')
  const removeFolder = db.prepare<[number]>('DELETE FROM uploaded_folders WHERE id = ?')
  const add = db.prepare<[number, string]>(
    'INSERT INTO uploaded_files (folder_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const addName = db.prepare<[number | bigint, string]>(
    'INSERT OR REPLACE INTO uploaded_names (rowid, name) VALUES (?, ?)',
  )
  const find = db
    .prepare<[number, string], number>('SELECT id FROM uploaded_files WHERE folder_id = ? AND name = ?')
    .pluck()
  const remove = db.prepare<[number]>('DELETE FROM uploaded_files WHERE id = ?')
  const removeName = db.prepare<[number]>('DELETE FROM uploaded_names WHERE rowid = ?')
  const row = `uploaded_files.id AS id, project_id AS projectId, uploaded_folders.path AS folder, name
    FROM uploaded_files JOIN uploaded_folders ON uploaded_folders.id = folder_id`
  const newest = db.prepare<{ projects: string; before: number; limit: number }, UploadedFileRow>(`
    SELECT ${row}
    WHERE uploaded_files.id < @before AND project_id IN (SELECT value FROM json_each(@projects))
    ORDER BY uploaded_files.id DESC LIMIT @limit`)
  // FTS5 ignores a bound on rowid that is not an INTEGER, and numbers are bound as REAL.
  const matching = db.prepare<
    { projects: string; before: number; limit: number; words: string },
    UploadedFileRow
  >(`
    SELECT ${row}
    WHERE uploaded_files.id IN (SELECT rowid FROM uploaded_names
        WHERE uploaded_names MATCH @words AND rowid < CAST(@before AS INTEGER))
      AND project_id IN (SELECT value FROM json_each(@projects))
    ORDER BY uploaded_files.id DESC LIMIT @limit`)
  return {
    foldersOf: (projectId: string): FolderRow[] => folders.all(projectId),
    namesIn: (folderId: number): string[] => names.all(folderId),
    count: (projectId: string): number => count.get(projectId)!,
    addFolder: (projectId: string, path: string): number => addFolder.get(projectId, path)!,
    setStamp: (folderId: number, stamp: string | null): void => {
      setStamp.run(stamp, folderId)
    },
    removeFolder: (folderId: number): void => {
      removeFolder.run(folderId)
    },
    /** @param text the searched text */
    add: (folderId: number, name: string, text: string): void => {
      const { changes, lastInsertRowid } = add.run(folderId, name)
      if (changes === 1) addName.run(lastInsertRowid, text)
    },
    remove: (folderId: number, name: string): void => {
      const id = find.get(folderId, name)
      if (id === undefined) return
      removeName.run(id)
      remove.run(id)
    },
    /** Newest first. `words` are in FTS5's syntax; null for all files. */
    page: (words: string | null, { projects, before, limit }: Page): UploadedFileRow[] => {
      const range = { projects: JSON.stringify(projects), before, limit }
      return words === null ? newest.all(range) : matching.all({ ...range, words })
    },
  }
}
export type UploadedFilesTable = ReturnType<typeof uploadedFilesTable>
