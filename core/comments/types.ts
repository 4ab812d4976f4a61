import type { Author } from '../access/member.ts'

/** A comment as it is read (`docs/interface.md#posts-and-comments`). Times are Unix milliseconds. */
export interface CommentView {
  _id: string
  /** Of the post, document or card. */
  postId: string
  parentId: string | null
  /** In stored form: mentions stay as `@[Display Name](memberId)`. Empty if the comment was deleted. */
  body: string
  author: Author
  createdAt: number
  /** Absent if it was not edited. */
  editedAt?: number
  /** A deleted comment is listed only while there are replies to it. */
  deleted?: true
}

export interface CommentPage {
  comments: CommentView[]
  nextCursor: string | null
}

export interface CommentPageOptions {
  limit?: number
  cursor?: string
  /** The id of the comment that the page begins with; takes precedence over `cursor`. */
  from?: string
}

export interface NewComment {
  body: string
  parentId?: string
  /** Requests with the same key within 24 hours are one. */
  idempotencyKey?: string
}
