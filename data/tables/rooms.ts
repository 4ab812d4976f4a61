import type { Connection } from '../database.ts'

export interface RoomRow {
  id: string
  slug: string // the transcript's name, without .md
  name: string
  type: 'open' | 'closed' | 'direct'
  description: string
  projectId: string | null
  creatorId: string | null // null if unknown
  welcomesPeople: 0 | 1 // 1 for the room that new members join
  createdMs: number // Unix time, milliseconds
  archivedMs: number | null
}

export type NewRoomRow = Omit<RoomRow, 'archivedMs'>

type RoomUpdate = Pick<RoomRow, 'id' | 'slug' | 'name' | 'type' | 'description' | 'archivedMs'>

const columns = `rooms.id, rooms.slug, name, type, description, project_id AS projectId, creator_id AS creatorId,
  welcomes_people AS welcomesPeople, created_ms AS createdMs, archived_ms AS archivedMs`

/** Only `notEmptied` finds deleted rooms. */
export function roomsTable(db: Connection) {
  const byId = db.prepare<[string], RoomRow>(
    `SELECT ${columns} FROM rooms WHERE id = ? AND deleted_ms IS NULL`,
  )
  const all = db.prepare<[], RoomRow>(
    `SELECT ${columns} FROM rooms WHERE deleted_ms IS NULL ORDER BY created_ms, id`,
  )
  const bySlug = db.prepare<[string], RoomRow>(
    `SELECT ${columns} FROM rooms WHERE slug = ? AND deleted_ms IS NULL`,
  )
  const joined = db.prepare<[string], RoomRow>(`
    SELECT ${columns} FROM room_members JOIN rooms ON rooms.id = room_id
    WHERE member_id = ? AND deleted_ms IS NULL ORDER BY created_ms, rooms.id`)
  const openTo = db.prepare<[string], RoomRow>(`
    SELECT ${columns} FROM rooms
    WHERE type = 'open' AND deleted_ms IS NULL
      AND NOT EXISTS (SELECT 1 FROM room_members WHERE room_id = rooms.id AND member_id = ?)
    ORDER BY created_ms, id`)
  const welcoming = db.prepare<[], RoomRow>(`SELECT ${columns} FROM rooms WHERE welcomes_people = 1`)
  const insert = db.prepare<NewRoomRow>(`
    INSERT INTO rooms (id, slug, name, type, description, project_id, creator_id, welcomes_people, created_ms)
    VALUES (@id, @slug, @name, @type, @description, @projectId, @creatorId, @welcomesPeople, @createdMs)`)
  const update = db.prepare<RoomUpdate>(`
    UPDATE rooms SET slug = @slug, name = @name, type = @type, description = @description, archived_ms = @archivedMs
    WHERE id = @id`)
  const byFormerSlug = db.prepare<[string], RoomRow>(`
    SELECT ${columns} FROM former_room_slugs JOIN rooms ON rooms.id = room_id WHERE former_room_slugs.slug = ?`)
  const putFormer = db.prepare<[string, string]>(`
    INSERT INTO former_room_slugs (slug, room_id) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET room_id = excluded.room_id`)
  const removeFormer = db.prepare<[string]>('DELETE FROM former_room_slugs WHERE room_id = ?')
  const remove = db.prepare<[number, string, string]>(
    'UPDATE rooms SET slug = id, deleted_ms = ?, deleted_by = ? WHERE id = ?',
  )
  const notEmptied = db.prepare<[], { id: string; deletedBy: string }>(
    'SELECT id, deleted_by AS deletedBy FROM rooms WHERE deleted_ms IS NOT NULL AND is_emptied = 0',
  )
  const setEmptied = db.prepare<[string]>('UPDATE rooms SET is_emptied = 1 WHERE id = ?')
  return {
    find: (id: string): RoomRow | undefined => byId.get(id),
    all: (): RoomRow[] => all.all(),
    findBySlug: (slug: string): RoomRow | undefined => bySlug.get(slug),
    /** The last room that had the slug before it was renamed. */
    findByFormerSlug: (slug: string): RoomRow | undefined => byFormerSlug.get(slug),
    putFormer: (slug: string, id: string): void => void putFormer.run(slug, id),
    joinedBy: (memberId: string): RoomRow[] => joined.all(memberId),
    /** Excludes rooms with the member; oldest first. */
    openToJoin: (memberId: string): RoomRow[] => openTo.all(memberId),
    welcoming: (): RoomRow | undefined => welcoming.get(),
    /** @throws SqliteError if the slug is taken, or another room welcomes new members */
    insert: (row: NewRoomRow): void => void insert.run(row),
    /** @throws SqliteError if the slug is taken */
    update: (row: RoomUpdate): boolean => update.run(row).changes === 1,
    /** Frees the slug, and those that the room had. */
    remove: (id: string, deletedMs: number, deletedBy: string): void => {
      removeFormer.run(id)
      remove.run(deletedMs, deletedBy, id)
    },
    /** Deleted rooms whose messages are not deleted yet. */
    notEmptied: (): { id: string; deletedBy: string }[] => notEmptied.all(),
    setEmptied: (id: string): void => void setEmptied.run(id),
  }
}
export type RoomsTable = ReturnType<typeof roomsTable>
