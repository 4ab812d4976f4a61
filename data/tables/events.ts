import type { Connection } from '../database.ts'

export interface EventRecord {
  /** The cursor × 1000; increases in commit order. */
  tick: number
  type:
    | 'doc.write'
    | 'doc.delete'
    | 'message'
    | 'message.reaction'
    | 'message.pin'
    | 'ask'
    | 'project.join'
    | 'room.change'
    | 'skill.publish'
  atMs: number
  actorId: string | null
  projectId: string | null
  documentId: string | null
  roomId: string | null
  messageId: string | null
  askerId: string | null
  via: string | null
  detail: string
}

export type EventsTable = ReturnType<typeof eventsTable>

export function eventsTable(db: Connection) {
  const begin = db.prepare<[string]>(
    'INSERT INTO event_clock (only, last_tick, epoch) VALUES (1, 0, ?) ON CONFLICT DO NOTHING',
  )
  const hasBegun = db.prepare<[], 1>('SELECT 1 FROM event_clock').pluck()
  const setEpoch = db.prepare<[string]>('UPDATE event_clock SET epoch = ?')
  const lastTick = db.prepare<[], number>('SELECT last_tick FROM event_clock').pluck()
  const setLastTick = db.prepare<[number]>('UPDATE event_clock SET last_tick = ?')
  const add = db.prepare<[EventRecord]>(`
    INSERT INTO events
      (tick, type, at_ms, actor_id, project_id, document_id, room_id, message_id, asker_id, via, detail)
    VALUES
      (@tick, @type, @atMs, @actorId, @projectId, @documentId, @roomId, @messageId, @askerId, @via, @detail)`)
  const remove = db.prepare<[number]>('DELETE FROM events WHERE tick = ?')
  const after = db.prepare<[number, number], EventRecord>(`
    SELECT tick, type, at_ms AS atMs, actor_id AS actorId, project_id AS projectId, document_id AS documentId,
      room_id AS roomId, message_id AS messageId, asker_id AS askerId, via, detail
    FROM events WHERE tick > ? ORDER BY tick LIMIT ?`)

  return {
    /** Creates the clock's only row, once for a database. */
    begin: (epoch: string): boolean => begin.run(epoch).changes === 1,
    hasBegun: (): boolean => hasBegun.get() === 1,
    /** Starts another log: earlier cursors may miss or repeat events. */
    setEpoch: (epoch: string): void => void setEpoch.run(epoch),
    lastTick: (): number => lastTick.get()!,
    setLastTick: (tick: number): void => {
      setLastTick.run(tick)
    },
    add: (record: EventRecord): void => {
      add.run(record)
    },
    remove: (tick: number): boolean => remove.run(tick).changes === 1,
    /** Oldest first. */
    after: (tick: number, limit: number): EventRecord[] => after.all(tick, limit),
  }
}
