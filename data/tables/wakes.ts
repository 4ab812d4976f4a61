import type { Connection } from '../database.ts'

/** Two agents, in the order of their ids. */
export type Pair = readonly [oneId: string, otherId: string]

/** How agents wake each other in rooms, since a person last spoke there. */
export function wakesTable(db: Connection) {
  const count = db
    .prepare<[string, string, string, number], number>(
      'SELECT count(*) FROM wakes WHERE room_id = ? AND one_id = ? AND other_id = ? AND at_ms > ?',
    )
    .pluck()
  const add = db.prepare<[string, string, string, number]>(
    'INSERT INTO wakes (room_id, one_id, other_id, at_ms) VALUES (?, ?, ?, ?)',
  )
  const trim = db.prepare<[string, string, string, number]>(
    'DELETE FROM wakes WHERE room_id = ? AND one_id = ? AND other_id = ? AND at_ms <= ?',
  )
  const hops = db
    .prepare<[string, string], number>('SELECT hops FROM wake_chains WHERE room_id = ? AND member_id = ?')
    .pluck()
  const lengthen = db.prepare<[string, string, number]>(`
    INSERT INTO wake_chains (room_id, member_id, hops) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET hops = max(hops, excluded.hops)`)
  const isHeld = db
    .prepare<[string, string, string], number>(
      'SELECT 1 FROM wake_holds WHERE room_id = ? AND one_id = ? AND other_id = ?',
    )
    .pluck()
  const anyHeld = db.prepare<[string], number>('SELECT 1 FROM wake_holds WHERE room_id = ? LIMIT 1').pluck()
  const hold = db.prepare<[string, string, string]>(
    'INSERT INTO wake_holds (room_id, one_id, other_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const forget = ['wakes', 'wake_chains', 'wake_holds'].map((table) =>
    db.prepare<[string]>(`DELETE FROM ${table} WHERE room_id = ?`),
  )
  return {
    /** How often the two have woken each other after `afterMs`. */
    count: (roomId: string, pair: Pair, afterMs: number): number => count.get(roomId, ...pair, afterMs)!,
    /** One more time; those up to `untilMs` do not count any more and go. */
    add: (roomId: string, pair: Pair, atMs: number, untilMs: number): void => {
      trim.run(roomId, ...pair, untilMs)
      add.run(roomId, ...pair, atMs)
    },
    /** The longest chain of agents by which this one was woken; 0 for none. */
    hops: (roomId: string, memberId: string): number => hops.get(roomId, memberId) ?? 0,
    /** An agent was woken by a chain of this length. */
    lengthen: (roomId: string, memberId: string, length: number): void =>
      void lengthen.run(roomId, memberId, length),
    isHeld: (roomId: string, pair: Pair): boolean => isHeld.get(roomId, ...pair) === 1,
    /** Whether any two are held back in the room. */
    anyHeld: (roomId: string): boolean => anyHeld.get(roomId) === 1,
    hold: (roomId: string, pair: Pair): void => void hold.run(roomId, ...pair),
    /** A person has spoken in the room. */
    forget: (roomId: string): void => {
      for (const statement of forget) statement.run(roomId)
    },
  }
}
export type WakesTable = ReturnType<typeof wakesTable>
