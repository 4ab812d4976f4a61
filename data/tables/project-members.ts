import type { Connection } from '../database.ts'

export interface ProjectMemberRow {
  projectId: string
  memberId: string
  role: 'lead' | 'member'
  joinedMs: number // Unix time, milliseconds
}

export function projectMembersTable(db: Connection) {
  const all = db.prepare<[], ProjectMemberRow>(`
    SELECT project_id AS projectId, member_id AS memberId, role, joined_ms AS joinedMs
    FROM project_members ORDER BY joined_ms, member_id`)
  const role = db
    .prepare<[string, string], ProjectMemberRow['role']>(
      'SELECT role FROM project_members WHERE project_id = ? AND member_id = ?',
    )
    .pluck()
  const put = db.prepare<ProjectMemberRow>(`
    INSERT INTO project_members (project_id, member_id, role, joined_ms)
    VALUES (@projectId, @memberId, @role, @joinedMs)
    ON CONFLICT (project_id, member_id) DO UPDATE SET role = excluded.role`)
  const remove = db.prepare<[string, string]>(
    'DELETE FROM project_members WHERE project_id = ? AND member_id = ?',
  )
  const leads = db
    .prepare<[string], string>(`
    SELECT member_id FROM project_members JOIN members ON members.id = member_id
    WHERE project_id = ? AND project_members.role = 'lead' AND status = 'active'`)
    .pluck()
  return {
    all: (): ProjectMemberRow[] => all.all(),
    roleOf: (projectId: string, memberId: string): ProjectMemberRow['role'] | null =>
      role.get(projectId, memberId) ?? null,
    put: (row: ProjectMemberRow): void => void put.run(row),
    remove: (projectId: string, memberId: string): boolean => remove.run(projectId, memberId).changes === 1,
    leads: (projectId: string): string[] => leads.all(projectId),
  }
}
export type ProjectMembersTable = ReturnType<typeof projectMembersTable>
