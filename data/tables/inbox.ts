import type { Connection } from '../database.ts'

/** A mention that somebody has not read yet. */
export interface UnreadMention {
  id: number
  authorId: string
  documentId: string
  atMs: number
}

export type InboxTable = ReturnType<typeof inboxTable>

export function inboxTable(db: Connection) {
  const add = db.prepare<[string, string, string, number]>(`
    INSERT INTO inbox (member_id, author_id, document_id, at_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  const unread = db.prepare<[string], UnreadMention>(`
    SELECT id, author_id AS authorId, document_id AS documentId, at_ms AS atMs
    FROM inbox WHERE member_id = ? AND read_ms IS NULL ORDER BY at_ms DESC, id DESC`)
  const removeOf = db.prepare<[string, number]>('DELETE FROM inbox WHERE document_id = ? AND at_ms = ?')

  return {
    /** @returns false when the member was told of this document before */
    add: (memberId: string, authorId: string, documentId: string, atMs: number): boolean =>
      add.run(memberId, authorId, documentId, atMs).changes === 1,
    /** Newest first. */
    unread: (memberId: string): UnreadMention[] => unread.all(memberId),
    /** Takes back what one write told. */
    retract: (documentId: string, atMs: number): number => removeOf.run(documentId, atMs).changes,
  }
}
