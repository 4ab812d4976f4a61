import type { Connection } from '../database.ts'

export interface PasskeyRow {
  id: string
  memberId: string
  credentialId: string // base64url
  publicKey: Uint8Array // COSE
  counter: number // of signatures; 0 if the authenticator counts none
  transports: string[]
  host: string
  label: string
  createdMs: number // Unix time, milliseconds
  lastUsedMs: number | null
}

type StoredRow = Omit<PasskeyRow, 'transports'> & { transports: string }

const columns = `id, member_id AS memberId, credential_id AS credentialId, public_key AS publicKey, counter, transports,
  host, label, created_ms AS createdMs, last_used_ms AS lastUsedMs`

const fromStored = (row: StoredRow): PasskeyRow => ({
  ...row,
  transports: JSON.parse(row.transports) as string[],
})

export function passkeysTable(db: Connection) {
  const ofMember = db.prepare<[string], StoredRow>(
    `SELECT ${columns} FROM passkeys WHERE member_id = ? ORDER BY created_ms, id`,
  )
  const find = db.prepare<[string], StoredRow>(`SELECT ${columns} FROM passkeys WHERE credential_id = ?`)
  const insert = db.prepare<StoredRow>(`
    INSERT INTO passkeys (id, member_id, credential_id, public_key, counter, transports, host, label, created_ms,
      last_used_ms)
    VALUES (@id, @memberId, @credentialId, @publicKey, @counter, @transports, @host, @label, @createdMs, @lastUsedMs)`)
  const touch = db.prepare<[number, number, string]>(
    'UPDATE passkeys SET counter = ?, last_used_ms = ? WHERE id = ?',
  )
  const remove = db.prepare<[string, string]>('DELETE FROM passkeys WHERE id = ? AND member_id = ?')
  return {
    ofMember: (memberId: string): PasskeyRow[] => ofMember.all(memberId).map(fromStored),
    find(credentialId: string): PasskeyRow | undefined {
      const row = find.get(credentialId)
      return row && fromStored(row)
    },
    /** @throws SqliteError if the credential is known */
    insert: (row: PasskeyRow): void =>
      void insert.run({ ...row, transports: JSON.stringify(row.transports) }),
    touch: (id: string, counter: number, usedMs: number): void => void touch.run(counter, usedMs, id),
    remove: (id: string, memberId: string): boolean => remove.run(id, memberId).changes === 1,
  }
}
export type PasskeysTable = ReturnType<typeof passkeysTable>
