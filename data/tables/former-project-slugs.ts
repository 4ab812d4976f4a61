import type { Connection } from '../database.ts'

export interface FormerSlugRow {
  slug: string
  projectId: string
  replacedMs: number // Unix time, milliseconds
}

export function formerProjectSlugsTable(db: Connection) {
  const all = db.prepare<[], FormerSlugRow>(
    'SELECT slug, project_id AS projectId, replaced_ms AS replacedMs FROM former_project_slugs',
  )
  const put = db.prepare<FormerSlugRow>(`
    INSERT INTO former_project_slugs (slug, project_id, replaced_ms) VALUES (@slug, @projectId, @replacedMs)
    ON CONFLICT DO UPDATE SET project_id = excluded.project_id, replaced_ms = excluded.replaced_ms`)
  const remove = db.prepare<[string]>('DELETE FROM former_project_slugs WHERE slug = ?')
  const removeBeyond = db.prepare<[string, number]>(`
    DELETE FROM former_project_slugs WHERE slug IN (
      SELECT slug FROM former_project_slugs WHERE project_id = ? ORDER BY replaced_ms DESC, slug LIMIT -1 OFFSET ?)`)
  return {
    all: (): FormerSlugRow[] => all.all(),
    put: (row: FormerSlugRow): void => void put.run(row),
    remove: (slug: string): void => void remove.run(slug),
    /** Keeps the newest of a project. */
    removeBeyond: (projectId: string, limit: number): void => void removeBeyond.run(projectId, limit),
  }
}
export type FormerProjectSlugsTable = ReturnType<typeof formerProjectSlugsTable>
