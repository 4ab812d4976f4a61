import type { Connection } from '../database.ts'
import type { EventRecord } from './events.ts'
import type { RoomMemberRow } from './room-members.ts'

export interface LogState {
  tick: number
  /** Increases whenever a member's rooms, projects, role, status or keys change. */
  change: number
  /** The newest tick that was removed from the log. */
  trimmedTick: number
}

export type EventStreamKind = 'room' | 'project' | 'document' | 'asker'

export interface JoinedRoom {
  roomId: string
  projectId: string | null
  involvement: RoomMemberRow['involvement']
}

const columns = `tick, type, at_ms AS atMs, actor_id AS actorId, project_id AS projectId, document_id AS documentId,
  room_id AS roomId, message_id AS messageId, asker_id AS askerId, via, detail`

export type EventLog = ReturnType<typeof eventLog>

export function eventLog(db: Connection) {
  const state = db.prepare<[], LogState>(`
    SELECT last_tick AS tick, trimmed_tick AS trimmedTick,
      (SELECT ifnull(max(change), 0) FROM access_changes) AS change
    FROM event_clock`)
  const epoch = db.prepare<[], string>('SELECT epoch FROM event_clock').pluck()
  const changed = db
    .prepare<[number], string>('SELECT member_id FROM access_changes WHERE change > ?')
    .pluck()
  const joined = db.prepare<[string], JoinedRoom>(`
    SELECT room_id AS roomId, project_id AS projectId, involvement
    FROM room_members JOIN rooms ON rooms.id = room_id WHERE member_id = ?`)
  const all = db.prepare<[number, number, number], EventRecord>(
    `SELECT ${columns} FROM events WHERE tick > ? AND tick <= ? ORDER BY tick LIMIT ?`,
  )
  const by = (column: string) => ({
    rows: db.prepare<[string, number, number, number], EventRecord>(
      `SELECT ${columns} FROM events WHERE ${column} = ? AND tick > ? AND tick <= ? ORDER BY tick LIMIT ?`,
    ),
    // Uses the index alone: 200 rooms are checked without reading a row.
    firstTicks: db.prepare<[number, number, string], { id: string; tick: number }>(`
      SELECT value AS id,
        (SELECT tick FROM events WHERE ${column} = value AND tick > ? AND tick <= ? ORDER BY tick LIMIT 1) AS tick
      FROM json_each(?) WHERE tick IS NOT NULL`),
  })
  const byKind = {
    room: by('room_id'),
    project: by('project_id'),
    document: by('document_id'),
    asker: by('asker_id'),
  }
  const oldest = db
    .prepare<[], number | null>('SELECT min(at_ms) FROM events WHERE document_id IS NOT NULL')
    .pluck()
  const removeBefore = db
    .prepare<[number, number], number>(`
    DELETE FROM events WHERE tick IN (
      SELECT tick FROM events WHERE document_id IS NOT NULL AND at_ms < ? ORDER BY at_ms LIMIT ?
    ) RETURNING tick`)
    .pluck()
  const hidden = new Set<number>()
  const noteTrimmed = db.prepare<[number]>('UPDATE event_clock SET trimmed_tick = max(trimmed_tick, ?)')

  return {
    state(): LogState {
      const now = state.get()!
      return hidden.size === 0 ? now : { ...now, tick: Math.min(now.tick, Math.min(...hidden) - 1) }
    },
    /** Ends the log before a tick, whose change is not on the disk yet, until `show`. */
    hide: (tick: number): void => void hidden.add(tick),
    show: (tick: number): void => void hidden.delete(tick),
    /** Changed by a restore. */
    epoch: (): string => epoch.get()!,
    membersChangedSince: (change: number): string[] => changed.all(change),
    roomsOf: (memberId: string): JoinedRoom[] => joined.all(memberId),
    /** Oldest first. */
    between: (after: number, upTo: number, limit: number): EventRecord[] => all.all(after, upTo, limit),
    betweenIn: (
      kind: EventStreamKind,
      id: string,
      { after, upTo, limit }: { after: number; upTo: number; limit: number },
    ): EventRecord[] => byKind[kind].rows.all(id, after, upTo, limit),
    /** Skips streams without events. */
    firstTicksIn: (
      kind: EventStreamKind,
      ids: readonly string[],
      { after, upTo }: { after: number; upTo: number },
    ): { id: string; tick: number }[] => byKind[kind].firstTicks.all(after, upTo, JSON.stringify(ids)),
    oldestOfDocumentsMs: (): number | null => oldest.get() ?? null,
    /** Removes the oldest events of documents before a time. Returns how many. */
    trimDocuments: (beforeMs: number, limit: number): number => {
      const ticks = removeBefore.all(beforeMs, limit)
      if (ticks.length > 0) noteTrimmed.run(Math.max(...ticks))
      return ticks.length
    },
  }
}
