import type { Connection } from '../database.ts'

export interface MemberRow {
  id: string
  name: string
  type: 'human' | 'agent'
  role: 'owner' | 'admin' | 'member'
  status: 'active' | 'deactivated'
  email: string
  ownerId: string | null // member id
  avatarUrl: string
  statusText: string
  description: string
  createdMs: number // Unix time, milliseconds
}

const columns = `id, name, type, role, status, email, owner_id AS ownerId, avatar_url AS avatarUrl,
  status_text AS statusText, description, created_ms AS createdMs`

/** The people and agents of the workspace, those who left among them. */
export function membersTable(db: Connection) {
  const all = db.prepare<[], MemberRow>(`SELECT ${columns} FROM members ORDER BY created_ms, id`)
  const find = db.prepare<[string], MemberRow>(`SELECT ${columns} FROM members WHERE id = ?`)
  const findActive = db.prepare<[string], MemberRow>(
    `SELECT ${columns} FROM members WHERE name = ? AND status = 'active'`,
  )
  const insert = db.prepare<MemberRow>(`
    INSERT INTO members (id, name, type, role, status, email, owner_id, avatar_url, status_text, description, created_ms)
    VALUES (@id, @name, @type, @role, @status, @email, @ownerId, @avatarUrl, @statusText, @description, @createdMs)`)
  const setStatus = db.prepare<[string, string]>('UPDATE members SET status = ? WHERE id = ?')
  const countActiveOwners = db
    .prepare<[], number>(`SELECT count(*) FROM members WHERE role = 'owner' AND status = 'active'`)
    .pluck()
  return {
    /** Oldest first. */
    all: (): MemberRow[] => all.all(),
    find: (id: string): MemberRow | undefined => find.get(id),
    /** The active member of exactly this name; there is one at the most. */
    findActive: (name: string): MemberRow | undefined => findActive.get(name),
    /** @throws SqliteError where an active member has the name already */
    insert: (row: MemberRow): void => void insert.run(row),
    /**
     * @returns false when there is no such member
     * @throws SqliteError where another active member has the name by now
     */
    setStatus: (id: string, status: MemberRow['status']): boolean => setStatus.run(status, id).changes === 1,
    countActiveOwners: (): number => countActiveOwners.get()!,
  }
}
export type MembersTable = ReturnType<typeof membersTable>
