import type { Connection } from '../database.ts'

export interface NoticeRow {
  id: number
  memberId: string
  authorId: string
  kind: 'card' | 'ask' | 'comment' | 'reply' | 'direct' | 'answer' | 'removed'
  subjectId: string // the card, ask, comment, message or room
  atMs: number // Unix time, milliseconds
  mailDueMs: number | null // null: not mailed
}

type NewNotice = Omit<NoticeRow, 'id'>

interface ReadUpTo {
  memberId: string
  roomId: string
  threadId: string | null
  place: number
  readMs: number
}

const columns =
  'id, member_id AS memberId, author_id AS authorId, kind, subject_id AS subjectId, at_ms AS atMs, mail_due_ms AS mailDueMs'

/** In a room, the replies of one thread, or the messages outside of threads. */
const isReadWith = `subject_id IN (
  SELECT id FROM messages WHERE room_id = @roomId AND place <= @place AND thread_id IS @threadId)`

export type NoticesTable = ReturnType<typeof noticesTable>

export function noticesTable(db: Connection) {
  const put = db.prepare<NewNotice>(`
    INSERT INTO notices (member_id, author_id, kind, subject_id, at_ms, mail_due_ms)
    VALUES (@memberId, @authorId, @kind, @subjectId, @atMs, @mailDueMs)
    ON CONFLICT DO UPDATE SET author_id = excluded.author_id, at_ms = excluded.at_ms, read_ms = NULL,
      mail_due_ms = excluded.mail_due_ms`)
  const unread = db.prepare<[string, number], NoticeRow>(`
    SELECT ${columns} FROM notices WHERE member_id = ? AND read_ms IS NULL ORDER BY at_ms DESC, id DESC LIMIT ?`)
  const findUnread = db.prepare<[string, string, string], NoticeRow>(`
    SELECT ${columns} FROM notices WHERE member_id = ? AND kind = ? AND subject_id = ? AND read_ms IS NULL`)
  const unmailed = db.prepare<[string], NoticeRow>(`
    SELECT ${columns} FROM notices WHERE member_id = ? AND read_ms IS NULL AND mail_due_ms IS NOT NULL
    ORDER BY at_ms DESC, id DESC`)
  const membersToMail = db
    .prepare<[number], string>('SELECT DISTINCT member_id FROM notices WHERE mail_due_ms <= ?')
    .pluck()
  const nextMail = db
    .prepare<[], number | null>('SELECT min(mail_due_ms) FROM notices WHERE mail_due_ms IS NOT NULL')
    .pluck()
  const lastMail = db
    .prepare<[], number | null>('SELECT max(mail_due_ms) FROM notices WHERE mail_due_ms IS NOT NULL')
    .pluck()
  const hastenMail = db.prepare<{ latestMs: number }>(
    'UPDATE notices SET mail_due_ms = @latestMs WHERE mail_due_ms > @latestMs',
  )
  const forgetMail = db.prepare<[string]>(
    'UPDATE notices SET mail_due_ms = NULL WHERE member_id = ? AND mail_due_ms IS NOT NULL',
  )
  const markRead = db.prepare<[number, number]>(
    'UPDATE notices SET read_ms = ?, mail_due_ms = NULL WHERE id = ? AND read_ms IS NULL',
  )
  const markReadUpTo = db.prepare<ReadUpTo>(`
    UPDATE notices SET read_ms = @readMs, mail_due_ms = NULL
    WHERE member_id = @memberId AND read_ms IS NULL AND kind IN ('direct', 'reply') AND ${isReadWith}`)
  const repliesByRoom = db.prepare<[string], { roomId: string; count: number }>(`
    SELECT room_id AS roomId, count(*) AS count FROM (
      SELECT subject_id FROM notices
      WHERE member_id = ? AND read_ms IS NULL AND kind IN ('reply', 'direct') ORDER BY at_ms DESC LIMIT 1000)
    JOIN messages ON messages.id = subject_id WHERE messages.thread_id IS NOT NULL GROUP BY room_id`)
  const remove = db.prepare<[string, string]>(
    'DELETE FROM notices WHERE kind = ? AND subject_id = ? AND read_ms IS NULL',
  )
  const removeOf = db.prepare<[string, string, string]>(
    'DELETE FROM notices WHERE member_id = ? AND kind = ? AND subject_id = ? AND read_ms IS NULL',
  )
  const rollBack = db.prepare<[string, number]>('DELETE FROM notices WHERE subject_id = ? AND at_ms = ?')
  const trim = db.prepare<[number]>('DELETE FROM notices WHERE read_ms <= ?')
  return {
    /** A known notice becomes unread again. */
    put: (row: NewNotice): void => void put.run(row),
    unread: (memberId: string, limit = -1): NoticeRow[] => unread.all(memberId, limit),
    findUnread: (memberId: string, kind: string, subjectId: string): NoticeRow | undefined =>
      findUnread.get(memberId, kind, subjectId),
    unmailed: (memberId: string): NoticeRow[] => unmailed.all(memberId),
    membersToMail: (nowMs: number): string[] => membersToMail.all(nowMs),
    nextMailMs: (): number | null => nextMail.get() ?? null,
    lastMailMs: (): number | null => lastMail.get() ?? null,
    /** Lowers later times to `latestMs`. */
    hastenMail: (latestMs: number): void => void hastenMail.run({ latestMs }),
    forgetMail: (memberId: string): void => void forgetMail.run(memberId),
    markRead: (id: number, readMs: number): boolean => markRead.run(readMs, id).changes === 1,
    /** Outside of threads, or in one thread. */
    markReadUpTo: (read: ReadUpTo): void => void markReadUpTo.run(read),
    /** Counts the last 1,000 notices. */
    repliesByRoom: (memberId: string): { roomId: string; count: number }[] => repliesByRoom.all(memberId),
    remove: (kind: NoticeRow['kind'], subjectId: string): void => void remove.run(kind, subjectId),
    removeOf: (memberId: string, kind: NoticeRow['kind'], subjectId: string): void =>
      void removeOf.run(memberId, kind, subjectId),
    /** Removes the notices of one write. */
    rollBack: (subjectId: string, atMs: number): void => void rollBack.run(subjectId, atMs),
    trim: (readMs: number): void => void trim.run(readMs),
  }
}
