import type { Connection } from '../database.ts'

export interface UnreadMention {
  id: number
  authorId: string
  documentId: string | null
  messageId: string | null
  commentId: string | null
  atMs: number // Unix time, milliseconds
  roomId: string | null // of the message
  threadId: string | null // the message that the message replies to
  postId: string | null // of the comment
  body: string | null // current text of the message or comment
}

interface ReadPosition {
  memberId: string
  roomId: string
  place: number
  readMs: number
}

export type InboxTable = ReturnType<typeof inboxTable>

export function inboxTable(db: Connection) {
  return {
    ...additions(db),
    ...unreadMentions(db),
    ...reading(db),
    ...mailing(db),
    ...removals(db),
  }
}

const unreadOf = `
  SELECT inbox.id, inbox.author_id AS authorId, document_id AS documentId, message_id AS messageId,
    comment_id AS commentId, at_ms AS atMs, room_id AS roomId, messages.thread_id AS threadId, post_id AS postId,
    ifnull(messages.body, comments.body) AS body
  FROM inbox LEFT JOIN messages ON messages.id = message_id LEFT JOIN comments ON comments.id = comment_id
  WHERE member_id = ? AND read_ms IS NULL`

const newestFirst = 'ORDER BY at_ms DESC, inbox.id DESC'

function additions(db: Connection) {
  const addOfDocument = db.prepare<[string, string, string, number, number | null]>(`
    INSERT INTO inbox (member_id, author_id, document_id, at_ms, mail_due_ms) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`)
  const addOfMessage = db.prepare<[string, string, string, number, number | null]>(`
    INSERT INTO inbox (member_id, author_id, message_id, at_ms, mail_due_ms) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`)
  const addOfComment = db.prepare<[string, string, string, number, number | null]>(`
    INSERT INTO inbox (member_id, author_id, comment_id, at_ms, mail_due_ms) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`)
  return {
    /** `mailDueMs` null: not mailed. Returns false if the member was already notified of this document. */
    addOfDocument: (
      memberId: string,
      authorId: string,
      documentId: string,
      atMs: number,
      mailDueMs: number | null = null,
    ): boolean => addOfDocument.run(memberId, authorId, documentId, atMs, mailDueMs).changes === 1,
    /** As `addOfDocument`, for a message. */
    addOfMessage: (
      memberId: string,
      authorId: string,
      messageId: string,
      atMs: number,
      mailDueMs: number | null = null,
    ): boolean => addOfMessage.run(memberId, authorId, messageId, atMs, mailDueMs).changes === 1,
    /** As `addOfDocument`, for a comment. */
    addOfComment: (
      memberId: string,
      authorId: string,
      commentId: string,
      atMs: number,
      mailDueMs: number | null = null,
    ): boolean => addOfComment.run(memberId, authorId, commentId, atMs, mailDueMs).changes === 1,
  }
}

function unreadMentions(db: Connection) {
  const unread = db.prepare<[string, number], UnreadMention>(`${unreadOf} ${newestFirst} LIMIT ?`)
  const unreadOfSubject = db.prepare<{ memberId: string; subjectId: string }, UnreadMention>(
    `${unreadOf.replace('?', '@memberId')} AND @subjectId IN (message_id, comment_id, document_id)`,
  )
  const unreadByRoom = db.prepare<[string], { roomId: string; count: number }>(`
    SELECT room_id AS roomId, count(*) AS count FROM (
      SELECT message_id FROM inbox
      WHERE member_id = ? AND read_ms IS NULL AND message_id IS NOT NULL ORDER BY at_ms DESC LIMIT 1000)
    JOIN messages ON messages.id = message_id GROUP BY room_id`)
  return {
    unread: (memberId: string, limit = -1): UnreadMention[] => unread.all(memberId, limit),
    /** `subjectId` is a message, comment or document. */
    unreadOf: (memberId: string, subjectId: string): UnreadMention[] =>
      unreadOfSubject.all({ memberId, subjectId }),
    /** Counts the last 1,000. */
    unreadByRoom: (memberId: string): { roomId: string; count: number }[] => unreadByRoom.all(memberId),
  }
}

function reading(db: Connection) {
  const markRead = db.prepare<[number, number]>(
    'UPDATE inbox SET read_ms = ?, mail_due_ms = NULL WHERE id = ? AND read_ms IS NULL',
  )
  const isIn =
    'SELECT 1 FROM messages WHERE messages.id = message_id AND room_id = @roomId AND place <= @place'
  const markOutsideThreads = db.prepare<ReadPosition>(`
    UPDATE inbox SET read_ms = @readMs, mail_due_ms = NULL
    WHERE member_id = @memberId AND read_ms IS NULL AND EXISTS (${isIn} AND messages.thread_id IS NULL)`)
  const markThread = db.prepare<ReadPosition & { threadId: string }>(`
    UPDATE inbox SET read_ms = @readMs, mail_due_ms = NULL
    WHERE member_id = @memberId AND read_ms IS NULL
      AND EXISTS (${isIn} AND (messages.thread_id = @threadId OR messages.id = @threadId))`)
  return {
    markRead: (id: number, readMs: number): boolean => markRead.run(readMs, id).changes === 1,
    /** Outside of threads, or in one thread and its root. Returns how many were unread. */
    markReadUpTo: ({ threadId, ...read }: ReadPosition & { threadId: string | null }): number =>
      (threadId === null ? markOutsideThreads.run(read) : markThread.run({ ...read, threadId })).changes,
  }
}

function mailing(db: Connection) {
  const unmailed = db.prepare<[string], UnreadMention>(
    `${unreadOf} AND mail_due_ms IS NOT NULL ${newestFirst}`,
  )
  const membersToMail = db
    .prepare<[number], string>('SELECT DISTINCT member_id FROM inbox WHERE mail_due_ms <= ?')
    .pluck()
  const nextMail = db
    .prepare<[], number | null>('SELECT min(mail_due_ms) FROM inbox WHERE mail_due_ms IS NOT NULL')
    .pluck()
  const lastMail = db
    .prepare<[], number | null>('SELECT max(mail_due_ms) FROM inbox WHERE mail_due_ms IS NOT NULL')
    .pluck()
  const hastenMail = db.prepare<{ latestMs: number }>(
    'UPDATE inbox SET mail_due_ms = @latestMs WHERE mail_due_ms > @latestMs',
  )
  const forgetMail = db.prepare<[string]>(
    'UPDATE inbox SET mail_due_ms = NULL WHERE member_id = ? AND mail_due_ms IS NOT NULL',
  )
  return {
    unmailed: (memberId: string): UnreadMention[] => unmailed.all(memberId),
    membersToMail: (nowMs: number): string[] => membersToMail.all(nowMs),
    nextMailMs: (): number | null => nextMail.get()!,
    lastMailMs: (): number | null => lastMail.get() ?? null,
    /** Lowers later times to `latestMs`. */
    hastenMail: (latestMs: number): void => void hastenMail.run({ latestMs }),
    forgetMail: (memberId: string): number => forgetMail.run(memberId).changes,
  }
}

/** Mentions that an edit or a deletion removes if nobody has read them. */
function removals(db: Connection) {
  const removeOf = db.prepare<[string, number]>('DELETE FROM inbox WHERE document_id = ? AND at_ms = ?')
  const unreadMembers = db
    .prepare<[string], string>('SELECT member_id FROM inbox WHERE message_id = ? AND read_ms IS NULL')
    .pluck()
  const removeUnread = db.prepare<[string, string]>(
    'DELETE FROM inbox WHERE message_id = ? AND member_id = ? AND read_ms IS NULL',
  )
  const removeAllUnread = db.prepare<[string]>('DELETE FROM inbox WHERE message_id = ? AND read_ms IS NULL')
  const removeUnreadOfComment = db.prepare<[string]>(
    'DELETE FROM inbox WHERE comment_id = ? AND read_ms IS NULL',
  )
  const unreadMembersOfComment = db
    .prepare<[string], string>('SELECT member_id FROM inbox WHERE comment_id = ? AND read_ms IS NULL')
    .pluck()
  const removeUnreadMentionInComment = db.prepare<[string, string]>(
    'DELETE FROM inbox WHERE comment_id = ? AND member_id = ? AND read_ms IS NULL',
  )
  return {
    /** Removes the mentions of one write of a document. */
    rollBack: (documentId: string, atMs: number): number => removeOf.run(documentId, atMs).changes,
    unreadMembersOf: (messageId: string): string[] => unreadMembers.all(messageId),
    removeUnread: (messageId: string, memberId: string): boolean =>
      removeUnread.run(messageId, memberId).changes === 1,
    removeAllUnread: (messageId: string): number => removeAllUnread.run(messageId).changes,
    unreadMembersOfComment: (commentId: string): string[] => unreadMembersOfComment.all(commentId),
    removeUnreadMentionInComment: (commentId: string, memberId: string): boolean =>
      removeUnreadMentionInComment.run(commentId, memberId).changes === 1,
    removeUnreadOfComment: (commentId: string): number => removeUnreadOfComment.run(commentId).changes,
  }
}
