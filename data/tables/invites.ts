import type { Connection } from '../database.ts'

export interface InviteRow {
  id: string
  hash: Uint8Array // SHA-256 of the code, which is stored nowhere
  role: 'owner' | 'admin' | 'member'
  type: 'human' | 'agent' | null // null: the invited member chooses
  uses: number // of the whole invite
  usesLeft: number // at least 1
  expiresMs: number | null // Unix time, milliseconds; null: never
  createdBy: string // member id
  createdMs: number
  projects: string[] // ids
  rooms: string[] // ids
}

type StoredRow = Omit<InviteRow, 'projects' | 'rooms'> & { projects: string; rooms: string }

const fromStored = (row: StoredRow): InviteRow => ({
  ...row,
  projects: JSON.parse(row.projects) as string[],
  rooms: JSON.parse(row.rooms) as string[],
})

const columns = `id, hash, role, type, uses, uses_left AS usesLeft, expires_ms AS expiresMs, created_by AS createdBy,
  created_ms AS createdMs, projects, rooms`

export function invitesTable(db: Connection) {
  const isValid = '(expires_ms IS NULL OR expires_ms > ?)'
  const valid = db.prepare<[number], StoredRow>(
    `SELECT ${columns} FROM invites WHERE ${isValid} ORDER BY created_ms, id`,
  )
  const find = db.prepare<[Uint8Array, number], StoredRow>(
    `SELECT ${columns} FROM invites WHERE hash = ? AND ${isValid}`,
  )
  const insert = db.prepare<StoredRow>(`
    INSERT INTO invites (id, hash, role, type, uses, uses_left, expires_ms, created_by, created_ms, projects, rooms)
    VALUES (@id, @hash, @role, @type, @uses, @usesLeft, @expiresMs, @createdBy, @createdMs, @projects, @rooms)`)
  const removeLastUse = db.prepare<[string]>('DELETE FROM invites WHERE id = ? AND uses_left = 1')
  const countUse = db.prepare<[string]>('UPDATE invites SET uses_left = uses_left - 1 WHERE id = ?')
  const remove = db.prepare<[string]>('DELETE FROM invites WHERE id = ?')
  const trim = db.prepare<[number]>('DELETE FROM invites WHERE expires_ms <= ?')
  return {
    valid: (nowMs: number): InviteRow[] => valid.all(nowMs).map(fromStored),
    find(hash: Uint8Array, nowMs: number): InviteRow | undefined {
      const row = find.get(hash, nowMs)
      return row && fromStored(row)
    },
    insert: (row: InviteRow): void =>
      void insert.run({
        ...row,
        projects: JSON.stringify(row.projects),
        rooms: JSON.stringify(row.rooms),
      }),
    /** Counts one use; the last removes the row. Returns false if there is no such invite. */
    use: (id: string): boolean => removeLastUse.run(id).changes === 1 || countUse.run(id).changes === 1,
    remove: (id: string): boolean => remove.run(id).changes === 1,
    trim: (nowMs: number): number => trim.run(nowMs).changes,
  }
}
export type InvitesTable = ReturnType<typeof invitesTable>
