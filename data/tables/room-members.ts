import type { Connection } from '../database.ts'

export interface RoomMemberRow {
  roomId: string
  memberId: string
  involvement: 'everything' | 'mentions' | 'nothing' | 'invisible'
  joinedMs: number // Unix time, milliseconds
}

const columns = 'room_id AS roomId, member_id AS memberId, involvement, joined_ms AS joinedMs'

/** Who is in which room, and how much of it they want to hear of. */
export function roomMembersTable(db: Connection) {
  const find = db.prepare<[string, string], RoomMemberRow>(
    `SELECT ${columns} FROM room_members WHERE room_id = ? AND member_id = ?`,
  )
  const of = db.prepare<[string], RoomMemberRow>(
    `SELECT ${columns} FROM room_members WHERE room_id = ? ORDER BY joined_ms, member_id`,
  )
  const insert = db.prepare<RoomMemberRow>(`
    INSERT INTO room_members (room_id, member_id, involvement, joined_ms)
    VALUES (@roomId, @memberId, @involvement, @joinedMs) ON CONFLICT DO NOTHING`)
  const remove = db.prepare<[string, string]>('DELETE FROM room_members WHERE room_id = ? AND member_id = ?')
  const setInvolvement = db.prepare<[string, string, string]>(
    'UPDATE room_members SET involvement = ? WHERE room_id = ? AND member_id = ?',
  )
  return {
    find: (roomId: string, memberId: string): RoomMemberRow | undefined => find.get(roomId, memberId),
    /** In the order in which they joined. */
    of: (roomId: string): RoomMemberRow[] => of.all(roomId),
    /** @returns false when the member was in the room already, where nothing changes then */
    add: (row: RoomMemberRow): boolean => insert.run(row).changes === 1,
    /** @returns false when the member was not in the room */
    remove: (roomId: string, memberId: string): boolean => remove.run(roomId, memberId).changes === 1,
    /** @returns false when the member is not in the room */
    setInvolvement: (roomId: string, memberId: string, involvement: RoomMemberRow['involvement']): boolean =>
      setInvolvement.run(involvement, roomId, memberId).changes === 1,
  }
}
export type RoomMembersTable = ReturnType<typeof roomMembersTable>
