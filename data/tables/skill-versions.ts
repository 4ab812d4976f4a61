import type { Connection } from '../database.ts'

interface SkillVersionRow {
  projectId: string
  name: string
  version: number
  atMs: number // Unix time, milliseconds
  /** Null for a version that was found on the disk. */
  authorId: string | null
  /** JSON of texts by path, deflated; null for a version that was found on the disk. */
  files: Buffer | null
}

type SkillVersionKey = [projectId: string, name: string, version: number]

export function skillVersionsTable(db: Connection) {
  const insert = db.prepare<[SkillVersionRow]>(`
    INSERT INTO skill_versions (project_id, name, version, at_ms, author_id, files)
    VALUES (@projectId, @name, @version, @atMs, @authorId, @files)`)
  const find = db.prepare<SkillVersionKey, SkillVersionRow>(`
    SELECT project_id AS projectId, name, version, at_ms AS atMs, author_id AS authorId, files FROM skill_versions
    WHERE project_id = ? AND name = ? AND version = ?`)
  const remove = db.prepare<SkillVersionKey>(
    'DELETE FROM skill_versions WHERE project_id = ? AND name = ? AND version = ?',
  )
  return {
    insert: (row: SkillVersionRow): void => void insert.run(row),
    find: (...key: SkillVersionKey): SkillVersionRow | undefined => find.get(...key),
    remove: (...key: SkillVersionKey): boolean => remove.run(...key).changes === 1,
  }
}
export type SkillVersionsTable = ReturnType<typeof skillVersionsTable>
