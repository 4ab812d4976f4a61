import type { Connection } from '../database.ts'

export interface RoomRow {
  id: string
  slug: string // the name of its transcript, without .md
  name: string
  type: 'open' | 'closed' | 'direct'
  description: string
  projectId: string | null
  welcomesPeople: 0 | 1 // the one room that whoever is new is put into
  createdMs: number // Unix time, milliseconds
}

const columns = `rooms.id, rooms.slug, name, type, description, project_id AS projectId,
  welcomes_people AS welcomesPeople, created_ms AS createdMs`

export function roomsTable(db: Connection) {
  const byId = db.prepare<[string], RoomRow>(`SELECT ${columns} FROM rooms WHERE id = ?`)
  const all = db.prepare<[], RoomRow>(`SELECT ${columns} FROM rooms ORDER BY created_ms, id`)
  const bySlug = db.prepare<[string], RoomRow>(`SELECT ${columns} FROM rooms WHERE slug = ?`)
  const joined = db.prepare<[string], RoomRow>(`
    SELECT ${columns} FROM room_members JOIN rooms ON rooms.id = room_id
    WHERE member_id = ? ORDER BY created_ms, rooms.id`)
  const openTo = db.prepare<[string], RoomRow>(`
    SELECT ${columns} FROM rooms
    WHERE type = 'open'
      AND NOT EXISTS (SELECT 1 FROM room_members WHERE room_id = rooms.id AND member_id = ?)
    ORDER BY created_ms, id`)
  const welcoming = db.prepare<[], RoomRow>(`SELECT ${columns} FROM rooms WHERE welcomes_people = 1`)
  const insert = db.prepare<RoomRow>(`
    INSERT INTO rooms (id, slug, name, type, description, project_id, welcomes_people, created_ms)
    VALUES (@id, @slug, @name, @type, @description, @projectId, @welcomesPeople, @createdMs)`)
  const update = db.prepare<Pick<RoomRow, 'id' | 'slug' | 'name' | 'description'>>(
    'UPDATE rooms SET slug = @slug, name = @name, description = @description WHERE id = @id',
  )
  const formerly = db.prepare<[string], RoomRow>(`
    SELECT ${columns} FROM former_room_slugs JOIN rooms ON rooms.id = room_id WHERE former_room_slugs.slug = ?`)
  const putFormer = db.prepare<[string, string]>(`
    INSERT INTO former_room_slugs (slug, room_id) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET room_id = excluded.room_id`)
  return {
    find: (id: string): RoomRow | undefined => byId.get(id),
    all: (): RoomRow[] => all.all(),
    findBySlug: (slug: string): RoomRow | undefined => bySlug.get(slug),
    /** The room that had a slug last before it was renamed. */
    formerly: (slug: string): RoomRow | undefined => formerly.get(slug),
    putFormer: (slug: string, id: string): void => void putFormer.run(slug, id),
    joinedBy: (memberId: string): RoomRow[] => joined.all(memberId),
    /** Open rooms without the member, oldest first. */
    openToJoin: (memberId: string): RoomRow[] => openTo.all(memberId),
    welcoming: (): RoomRow | undefined => welcoming.get(),
    /** @throws SqliteError if the slug is taken, or another room welcomes new members */
    insert: (row: RoomRow): void => void insert.run(row),
    /** @throws SqliteError if the slug is taken */
    update: (row: Pick<RoomRow, 'id' | 'slug' | 'name' | 'description'>): boolean =>
      update.run(row).changes === 1,
  }
}
export type RoomsTable = ReturnType<typeof roomsTable>
