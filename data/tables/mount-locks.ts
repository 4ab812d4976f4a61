import type { Connection } from '../database.ts'

export interface MountLock {
  token: string
  memberId: string
  names: readonly string[]
  /** Includes everything below. */
  isDeep: boolean
  isShared: boolean
  /** Shown to people: as sent by the client. */
  owner: { text: string; isAddress: boolean }
  seconds: number
  untilMs: number
}

interface Stored {
  token: string
  memberId: string
  path: string
  isDeep: number
  isShared: number
  owner: string
  isOwnerAddress: number
  seconds: number
  untilMs: number
}

export type MountLocksTable = ReturnType<typeof mountLocksTable>

export function mountLocksTable(db: Connection) {
  const all = db.prepare<[], Stored>(`
    SELECT token, member_id AS memberId, path, is_deep AS isDeep, is_shared AS isShared, owner,
      is_owner_address AS isOwnerAddress, seconds, until_ms AS untilMs
    FROM mount_locks ORDER BY rowid`)
  const put = db.prepare<[Stored]>(`
    INSERT INTO mount_locks
      (token, member_id, path, is_deep, is_shared, owner, is_owner_address, seconds, until_ms)
    VALUES (@token, @memberId, @path, @isDeep, @isShared, @owner, @isOwnerAddress, @seconds, @untilMs)
    ON CONFLICT DO UPDATE SET seconds = excluded.seconds, until_ms = excluded.until_ms`)
  const remove = db.prepare<[string]>('DELETE FROM mount_locks WHERE token = ?')
  const removeExpired = db.prepare<[number]>('DELETE FROM mount_locks WHERE until_ms <= ?')

  return {
    all: (): MountLock[] => all.all().map(fromStored),
    put: (lock: MountLock): void => void put.run(toStored(lock)),
    remove: (token: string): boolean => remove.run(token).changes === 1,
    removeExpired: (nowMs: number): number => removeExpired.run(nowMs).changes,
  }
}

const fromStored = ({ path, isDeep, isShared, owner, isOwnerAddress, ...lock }: Stored): MountLock => ({
  ...lock,
  names: JSON.parse(path),
  isDeep: isDeep === 1,
  isShared: isShared === 1,
  owner: { text: owner, isAddress: isOwnerAddress === 1 },
})

const toStored = ({ names, isDeep, isShared, owner, ...lock }: MountLock): Stored => ({
  ...lock,
  path: JSON.stringify(names),
  isDeep: Number(isDeep),
  isShared: Number(isShared),
  owner: owner.text,
  isOwnerAddress: Number(owner.isAddress),
})
