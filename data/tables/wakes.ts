import type { Connection } from '../database.ts'

/** In the order of their ids. */
export type AgentPair = readonly [oneId: string, otherId: string]

/** How agents triggered each other since a person last posted in the conversation. */
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
    count: (conversationId: string, pair: AgentPair, afterMs: number): number =>
      count.get(conversationId, ...pair, afterMs)!,
    /** Adds one, and removes those up to `untilMs`. */
    add: (conversationId: string, pair: AgentPair, atMs: number, untilMs: number): void => {
      trim.run(conversationId, ...pair, untilMs)
      add.run(conversationId, ...pair, atMs)
    },
    /** The longest chain of agents that triggered this one. */
    hops: (conversationId: string, memberId: string): number => hops.get(conversationId, memberId) ?? 0,
    lengthen: (conversationId: string, memberId: string, length: number): void =>
      void lengthen.run(conversationId, memberId, length),
    isBlocked: (conversationId: string, pair: AgentPair): boolean =>
      isBlocked.get(conversationId, ...pair) === 1,
    hasBlocked: (conversationId: string): boolean => hasBlocked.get(conversationId) === 1,
    block: (conversationId: string, pair: AgentPair): void => void block.run(conversationId, ...pair),
    forget: (conversationId: string): void => {
      for (const statement of forget) statement.run(conversationId)
    },
  }
}
export type WakesTable = ReturnType<typeof wakesTable>
