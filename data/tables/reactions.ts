import type { Connection } from '../database.ts'

interface ReactionRow {
  messageId: string
  roomId: string
  memberId: string
  emoji: string
  atMs: number // Unix time, milliseconds
}

export type ReactionsTable = ReturnType<typeof reactionsTable>

export function reactionsTable(db: Connection) {
  const add = db.prepare<ReactionRow>(`
    INSERT INTO reactions (message_id, room_id, member_id, emoji, at_ms)
    VALUES (@messageId, @roomId, @memberId, @emoji, @atMs) ON CONFLICT DO NOTHING`)
  const remove = db.prepare<[string, string, string]>(
    'DELETE FROM reactions WHERE message_id = ? AND emoji = ? AND member_id = ?',
  )
  const removeOf = db.prepare<[string]>('DELETE FROM reactions WHERE message_id = ?')
  const of = db.prepare<[string], Pick<ReactionRow, 'emoji' | 'memberId'>>(
    'SELECT emoji, member_id AS memberId FROM reactions WHERE message_id = ? ORDER BY place',
  )
  return {
    add: (row: ReactionRow): boolean => add.run(row).changes === 1,
    remove: (messageId: string, emoji: string, memberId: string): boolean =>
      remove.run(messageId, emoji, memberId).changes === 1,
    removeOf: (messageId: string): void => void removeOf.run(messageId),
    /** In the order in which they were added. */
    of: (messageId: string): Pick<ReactionRow, 'emoji' | 'memberId'>[] => of.all(messageId),
  }
}
