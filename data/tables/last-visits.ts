import type { Connection } from '../database.ts'

export interface LastVisitRow {
  keyId: string
  atMs: number // Unix time, milliseconds
  cursor: number // the newest event at that time
  previousMs: number | null // null: the first visit
  previousCursor: number | null
}

export function lastVisitsTable(db: Connection) {
  const find = db.prepare<[string], LastVisitRow>(`
    SELECT key_id AS keyId, at_ms AS atMs, cursor, previous_ms AS previousMs, previous_cursor AS previousCursor
    FROM last_visits WHERE key_id = ?`)
  const put = db.prepare<LastVisitRow>(`
    INSERT INTO last_visits (key_id, at_ms, cursor, previous_ms, previous_cursor)
    VALUES (@keyId, @atMs, @cursor, @previousMs, @previousCursor)
    ON CONFLICT DO UPDATE SET at_ms = @atMs, cursor = @cursor, previous_ms = @previousMs,
      previous_cursor = @previousCursor`)
  return {
    find: (keyId: string): LastVisitRow | undefined => find.get(keyId),
    put: (row: LastVisitRow): void => void put.run(row),
  }
}
export type LastVisitsTable = ReturnType<typeof lastVisitsTable>
