import type { Connection } from '../database.ts'

export interface RoomMemberRow {
  roomId: string
  memberId: string
  involvement: 'everything' | 'mentions' | 'nothing' | 'invisible'
  joinedMs: number // Unix time, milliseconds
  isFavourite: 0 | 1
  section: string | null // of the member's sidebar
}

type NewRoomMemberRow = Omit<RoomMemberRow, 'isFavourite' | 'section'>
type SidebarPlace = Pick<RoomMemberRow, 'roomId' | 'memberId' | 'isFavourite' | 'section'>

interface RoomReadPosition extends Pick<RoomMemberRow, 'roomId' | 'involvement' | 'isFavourite' | 'section'> {
  readPlace: number // of the last message that they have read; 0: none
}

const columns =
  'room_id AS roomId, member_id AS memberId, involvement, joined_ms AS joinedMs, is_favourite AS isFavourite, section'

export function roomMembersTable(db: Connection) {
  const find = db.prepare<[string, string], RoomMemberRow>(
    `SELECT ${columns} FROM room_members WHERE room_id = ? AND member_id = ?`,
  )
  const of = db.prepare<[string], RoomMemberRow>(
    `SELECT ${columns} FROM room_members WHERE room_id = ? ORDER BY joined_ms, member_id`,
  )
  const insert = db.prepare<NewRoomMemberRow>(`
    INSERT INTO room_members (room_id, member_id, involvement, joined_ms, read_place)
    VALUES (@roomId, @memberId, @involvement, @joinedMs, ifnull(
      (SELECT place FROM messages WHERE room_id = @roomId AND thread_id IS NULL AND deleted_ms IS NULL
        ORDER BY place DESC LIMIT 1), 0))
    ON CONFLICT DO NOTHING`)
  const ofMember = db.prepare<[string], RoomReadPosition>(`
    SELECT room_id AS roomId, involvement, is_favourite AS isFavourite, section, read_place AS readPlace
    FROM room_members WHERE member_id = ?`)
  const readPlace = db
    .prepare<[string, string], number>(
      'SELECT read_place FROM room_members WHERE room_id = ? AND member_id = ?',
    )
    .pluck()
  const setReadPlace = db.prepare<{ roomId: string; memberId: string; place: number }>(`
    UPDATE room_members SET read_place = @place
    WHERE room_id = @roomId AND member_id = @memberId AND read_place < @place`)
  const resetReadPlace = db.prepare<{ roomId: string; memberId: string; place: number }>(`
    UPDATE room_members SET read_place = @place
    WHERE room_id = @roomId AND member_id = @memberId AND read_place > @place`)
  const remove = db.prepare<[string, string]>('DELETE FROM room_members WHERE room_id = ? AND member_id = ?')
  const removeAll = db.prepare<[string]>('DELETE FROM room_members WHERE room_id = ?')
  const setInvolvement = db.prepare<[string, string, string]>(
    'UPDATE room_members SET involvement = ? WHERE room_id = ? AND member_id = ?',
  )
  const setSidebarPlace = db.prepare<SidebarPlace>(`
    UPDATE room_members SET is_favourite = @isFavourite, section = @section
    WHERE room_id = @roomId AND member_id = @memberId`)
  return {
    find: (roomId: string, memberId: string): RoomMemberRow | undefined => find.get(roomId, memberId),
    of: (roomId: string): RoomMemberRow[] => of.all(roomId),
    ofMember: (memberId: string): RoomReadPosition[] => ofMember.all(memberId),
    /** 0 if nothing was read. */
    readPlace: (roomId: string, memberId: string): number => readPlace.get(roomId, memberId) ?? 0,
    /** Moves forward only. Returns false if nothing changed. */
    setReadPlace: (roomId: string, memberId: string, place: number): boolean =>
      setReadPlace.run({ roomId, memberId, place }).changes === 1,
    /** Moves back only. Returns false if nothing changed. */
    resetReadPlace: (roomId: string, memberId: string, place: number): boolean =>
      resetReadPlace.run({ roomId, memberId, place }).changes === 1,
    /** Earlier messages count as read. Returns false if the member was already in the room. */
    add: (row: NewRoomMemberRow): boolean => insert.run(row).changes === 1,
    remove: (roomId: string, memberId: string): boolean => remove.run(roomId, memberId).changes === 1,
    removeAll: (roomId: string): void => void removeAll.run(roomId),
    setSidebarPlace: (place: SidebarPlace): void => void setSidebarPlace.run(place),
    setInvolvement: (roomId: string, memberId: string, involvement: RoomMemberRow['involvement']): boolean =>
      setInvolvement.run(involvement, roomId, memberId).changes === 1,
  }
}
export type RoomMembersTable = ReturnType<typeof roomMembersTable>
