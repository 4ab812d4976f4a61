import type { Connection } from '../database.ts'

export interface CommentRow {
  place: number // increases in commit order
  id: string
  postId: string // of the post, document or card
  parentId: string | null // the comment that it replies to
  authorId: string
  body: string // mentions in canonical form
  block: string | null // the id of the block; null: the whole document
  quote: string | null // the block's text when the comment was written
  createdMs: number // Unix time, milliseconds
  editedMs: number | null
  deletedMs: number | null
}

interface BlockCommentRow {
  id: string
  block: string
  replyCount: number
}

type NewCommentRow = Omit<CommentRow, 'place' | 'editedMs' | 'deletedMs'>

const columns = `place, id, post_id AS postId, parent_id AS parentId, author_id AS authorId, body, block, quote,
  created_ms AS createdMs, edited_ms AS editedMs, deleted_ms AS deletedMs`

export function commentsTable(db: Connection) {
  const find = db.prepare<[string], CommentRow>(`SELECT ${columns} FROM comments WHERE id = ?`)
  const insert = db.prepare<NewCommentRow>(`
    INSERT INTO comments (id, post_id, parent_id, author_id, body, block, quote, created_ms)
    VALUES (@id, @postId, @parentId, @authorId, @body, @block, @quote, @createdMs)`)
  const remove = db.prepare<[number, string, string]>(
    'UPDATE comments SET deleted_ms = ?, deleted_by = ? WHERE id = ? AND deleted_ms IS NULL',
  )
  const edit = db.prepare<[string, number, string]>(
    'UPDATE comments SET body = ?, edited_ms = ? WHERE id = ? AND deleted_ms IS NULL',
  )
  const ofPost = db.prepare<[string, number], CommentRow>(`
    SELECT ${columns} FROM comments AS comment
    WHERE post_id = ? AND place > ? AND (deleted_ms IS NULL OR EXISTS (
      SELECT 1 FROM comments WHERE parent_id = comment.id AND deleted_ms IS NULL))
    ORDER BY place`)
  const threadAuthors = db
    .prepare<[string, string, string], string>(`
      SELECT DISTINCT author_id FROM comments
      WHERE post_id = ? AND (id = ? OR parent_id = ?) AND deleted_ms IS NULL LIMIT 200`)
    .pluck()
  const inThread = db.prepare<[string, string, number, number], CommentRow>(`
    SELECT ${columns} FROM comments
    WHERE (id = ? OR parent_id = ?) AND deleted_ms IS NULL AND place < ? ORDER BY place DESC LIMIT ?`)
  const onBlocks = db.prepare<[string], BlockCommentRow>(`
    SELECT id, block, (
      SELECT count(*) FROM comments WHERE parent_id = comment.id AND deleted_ms IS NULL) AS replyCount
    FROM comments AS comment WHERE post_id = ? AND block IS NOT NULL AND deleted_ms IS NULL ORDER BY place`)
  const newest = db.prepare<[string, number], Pick<CommentRow, 'id' | 'authorId' | 'createdMs'>>(`
    SELECT id, author_id AS authorId, created_ms AS createdMs FROM comments
    WHERE post_id = ? AND deleted_ms IS NULL ORDER BY place DESC LIMIT ?`)
  const setBlock = db.prepare<[string, string]>('UPDATE comments SET block = ? WHERE id = ?')
  return {
    find: (id: string): CommentRow | undefined => find.get(id),
    insert: (row: NewCommentRow): void => void insert.run(row),
    /** At most 200. */
    threadAuthors: (postId: string, parentId: string): string[] =>
      threadAuthors.all(postId, parentId, parentId),
    /** Includes the parent; newest first, below a place. */
    inThread: (parentId: string, limit: number, before: number): CommentRow[] =>
      inThread.all(parentId, parentId, before, limit),
    /** In commit order. */
    onBlocks: (postId: string): BlockCommentRow[] => onBlocks.all(postId),
    /** Newest first. */
    newest: (postId: string, limit: number): Pick<CommentRow, 'id' | 'authorId' | 'createdMs'>[] =>
      newest.all(postId, limit),
    setBlock: (id: string, block: string): void => void setBlock.run(block, id),
    remove: (id: string, deletedMs: number, deletedBy: string): boolean =>
      remove.run(deletedMs, deletedBy, id).changes === 1,
    edit: (id: string, body: string, editedMs: number): boolean => edit.run(body, editedMs, id).changes === 1,
    /** In commit order, without deleted ones that have no replies. No other statement may run meanwhile. */
    ofPost: (postId: string, after = 0): IterableIterator<CommentRow> => ofPost.iterate(postId, after),
  }
}
export type CommentsTable = ReturnType<typeof commentsTable>
