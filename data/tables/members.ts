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
  emailNotifications: boolean // whether mentions are mailed
  createdMs: number // Unix time, milliseconds
}

const columns = `id, name, type, role, status, email, owner_id AS ownerId, avatar_url AS avatarUrl,
  status_text AS statusText, description, email_notifications AS emailNotifications, created_ms AS createdMs`

type StoredRow = Omit<MemberRow, 'emailNotifications'> & { emailNotifications: number }

const fromStored = (row: StoredRow): MemberRow => ({
  ...row,
  emailNotifications: row.emailNotifications === 1,
})
const fromStoredOrNull = (row: StoredRow | undefined) => row && fromStored(row)
const toStored = (row: MemberRow): StoredRow => ({
  ...row,
  emailNotifications: Number(row.emailNotifications),
})

export function membersTable(db: Connection) {
  const all = db.prepare<[], StoredRow>(`SELECT ${columns} FROM members ORDER BY created_ms, id`)
  const find = db.prepare<[string], StoredRow>(`SELECT ${columns} FROM members WHERE id = ?`)
  const findActive = db.prepare<[string], StoredRow>(
    `SELECT ${columns} FROM members WHERE name = ? AND status = 'active'`,
  )
  const insert = db.prepare<StoredRow>(`
    INSERT INTO members (id, name, type, role, status, email, owner_id, avatar_url, status_text, description,
      email_notifications, created_ms)
    VALUES (@id, @name, @type, @role, @status, @email, @ownerId, @avatarUrl, @statusText, @description,
      @emailNotifications, @createdMs)`)
  const update = db.prepare<StoredRow>(`
    UPDATE members SET name = @name, role = @role, status = @status, email = @email, avatar_url = @avatarUrl,
      status_text = @statusText, description = @description, email_notifications = @emailNotifications
    WHERE id = @id`)
  const countOwningPeople = db
    .prepare<[], number>(`
      SELECT count(*) FROM members WHERE role = 'owner' AND type = 'human' AND status = 'active'`)
    .pluck()
  return {
    all: (): MemberRow[] => all.all().map(fromStored),
    find: (id: string): MemberRow | undefined => fromStoredOrNull(find.get(id)),
    /** Compares the exact name; at most one is active. */
    findActive: (name: string): MemberRow | undefined => fromStoredOrNull(findActive.get(name)),
    /** @throws SqliteError if an active member has the name */
    insert: (row: MemberRow): void => void insert.run(toStored(row)),
    /** @throws SqliteError if another active member has the name */
    update: (row: MemberRow): boolean => update.run(toStored(row)).changes === 1,
    countOwningPeople: (): number => countOwningPeople.get()!,
  }
}
export type MembersTable = ReturnType<typeof membersTable>
