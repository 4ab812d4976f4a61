import type { Connection } from '../database.ts'

/** In the order of their ids. */
export type AgentPair = readonly [oneId: string, otherId: string]

/** How agents triggered each other since a person last posted in the place. */
export function wakesTable(db: Connection) {
  const count = db
    .prepare<[string, string, string, number], number>(
      'SELECT count(*) FROM wakes WHERE place_id = ? AND one_id = ? AND other_id = ? AND at_ms > ?',
    )
    .pluck()
  const add = db.prepare<[string, string, string, number]>(
    'INSERT INTO wakes (place_id, one_id, other_id, at_ms) VALUES (?, ?, ?, ?)',
  )
  const trim = db.prepare<[string, string, string, number]>(
    'DELETE FROM wakes WHERE place_id = ? AND one_id = ? AND other_id = ? AND at_ms <= ?',
  )
  const hops = db
    .prepare<[string, string], number>('SELECT hops FROM wake_chains WHERE place_id = ? AND member_id = ?')
    .pluck()
  const lengthen = db.prepare<[string, string, number]>(`
    INSERT INTO wake_chains (place_id, member_id, hops) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET hops = max(hops, excluded.hops)`)
  const isBlocked = db
    .prepare<[string, string, string], number>(
      'SELECT 1 FROM wake_holds WHERE place_id = ? AND one_id = ? AND other_id = ?',
    )
    .pluck()
  const hasBlocked = db
    .prepare<[string], number>('SELECT 1 FROM wake_holds WHERE place_id = ? LIMIT 1')
    .pluck()
  const block = db.prepare<[string, string, string]>(
    'INSERT INTO wake_holds (place_id, one_id, other_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const forget = ['wakes', 'wake_chains', 'wake_holds'].map((table) =>
    db.prepare<[string]>(`DELETE FROM ${table} WHERE place_id = ?`),
  )
  return {
    count: (placeId: string, pair: AgentPair, afterMs: number): number =>
      count.get(placeId, ...pair, afterMs)!,
    /** Adds one, and removes those up to `untilMs`. */
    add: (placeId: string, pair: AgentPair, atMs: number, untilMs: number): void => {
      trim.run(placeId, ...pair, untilMs)
      add.run(placeId, ...pair, atMs)
    },
    /** The longest chain of agents that triggered this one. */
    hops: (placeId: string, memberId: string): number => hops.get(placeId, memberId) ?? 0,
    lengthen: (placeId: string, memberId: string, length: number): void =>
      void lengthen.run(placeId, memberId, length),
    isBlocked: (placeId: string, pair: AgentPair): boolean => isBlocked.get(placeId, ...pair) === 1,
    hasBlocked: (placeId: string): boolean => hasBlocked.get(placeId) === 1,
    block: (placeId: string, pair: AgentPair): void => void block.run(placeId, ...pair),
    forget: (placeId: string): void => {
      for (const statement of forget) statement.run(placeId)
    },
  }
}
export type WakesTable = ReturnType<typeof wakesTable>
