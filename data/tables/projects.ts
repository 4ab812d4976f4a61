import type { Connection } from '../database.ts'

export interface ProjectRow {
  id: string
  slug: string
  folder: string // its name in projects/, as spelled on the disk
  name: string
  createdMs: number // Unix time, milliseconds
  archivedMs: number | null
  deletionsConfirmedMs: number | null
  deletedMs: number | null
  deletedBy: string | null // member id
  deletedFolder: string | null // to which a deleted project is restored; null once it is purged
}

const columns = `id, slug, folder, name, created_ms AS createdMs, archived_ms AS archivedMs,
  deletions_confirmed_ms AS deletionsConfirmedMs, deleted_ms AS deletedMs, deleted_by AS deletedBy,
  deleted_folder AS deletedFolder`

export function projectsTable(db: Connection) {
  const all = db.prepare<[], ProjectRow>(`SELECT ${columns} FROM projects ORDER BY created_ms, id`)
  const find = db.prepare<[string], ProjectRow>(`SELECT ${columns} FROM projects WHERE id = ?`)
  const insert = db.prepare<ProjectRow>(`
    INSERT INTO projects (id, slug, folder, name, created_ms, archived_ms, deletions_confirmed_ms)
    VALUES (@id, @slug, @folder, @name, @createdMs, @archivedMs, @deletionsConfirmedMs)`)
  const setFolder = db.prepare<[string, string]>('UPDATE projects SET folder = ? WHERE id = ?')
  const change = db.prepare<[string, string, number | null, string]>(
    'UPDATE projects SET name = ?, slug = ?, archived_ms = ? WHERE id = ?',
  )
  const confirmDeletions = db.prepare<[number | null, string]>(
    'UPDATE projects SET deletions_confirmed_ms = ? WHERE id = ?',
  )
  const setDeletion = db.prepare<
    Pick<ProjectRow, 'id' | 'slug' | 'folder' | 'deletedMs' | 'deletedBy' | 'deletedFolder'>
  >(`
    UPDATE projects SET slug = @slug, folder = @folder, deleted_ms = @deletedMs, deleted_by = @deletedBy,
      deleted_folder = @deletedFolder
    WHERE id = @id`)
  const remove = db.prepare<[string]>('DELETE FROM projects WHERE id = ?')
  return {
    all: (): ProjectRow[] => all.all(),
    find: (id: string): ProjectRow | undefined => find.get(id),
    /** @throws SqliteError if the slug or folder is taken */
    insert: (row: ProjectRow): void => void insert.run(row),
    setFolder: (id: string, folder: string): boolean => setFolder.run(folder, id).changes === 1,
    /** @throws SqliteError if the slug is taken */
    change: (
      id: string,
      { name, slug, archivedMs }: Pick<ProjectRow, 'name' | 'slug' | 'archivedMs'>,
    ): boolean => change.run(name, slug, archivedMs, id).changes === 1,
    /** @throws SqliteError if the slug or folder is taken */
    setDeletion: (
      row: Pick<ProjectRow, 'id' | 'slug' | 'folder' | 'deletedMs' | 'deletedBy' | 'deletedFolder'>,
    ): void => void setDeletion.run(row),
    remove: (id: string): boolean => remove.run(id).changes === 1,
    /** Null once the confirmation was used. */
    confirmDeletions: (id: string, nowMs: number | null): boolean =>
      confirmDeletions.run(nowMs, id).changes === 1,
  }
}
export type ProjectsTable = ReturnType<typeof projectsTable>
