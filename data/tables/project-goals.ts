import type { Connection } from '../database.ts'

export function projectGoalsTable(db: Connection) {
  const find = db.prepare<[string], string>('SELECT goal FROM project_goals WHERE project_id = ?').pluck()
  const put = db.prepare<[string, string, string, number]>(`
    INSERT INTO project_goals (project_id, goal, set_by, set_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT (project_id) DO UPDATE SET goal = excluded.goal, set_by = excluded.set_by, set_ms = excluded.set_ms`)
  return {
    /** Returns `''` if there is none. */
    find: (projectId: string): string => find.get(projectId) ?? '',
    put: (projectId: string, goal: string, setBy: string, setMs: number): void =>
      void put.run(projectId, goal, setBy, setMs),
  }
}
export type ProjectGoalsTable = ReturnType<typeof projectGoalsTable>
