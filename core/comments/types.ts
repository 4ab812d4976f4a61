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
  /** Present for a comment on a block: its id now, or the last one if it was removed. */
  block?: string
  /** What the block said when the comment was written. */
  quote?: string
  blockRemoved?: true
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

/** The comments on a block. */
export interface BlockComments {
  block: string
  /** Of the first one. */
  commentId: string
  /** With replies. */
  count: number
}

export interface NewComment {
  body: string
  parentId?: string
  /** The id of the block that it is on; default: the whole document. */
  block?: string
  /** Requests with the same key within 24 hours are one. */
  idempotencyKey?: string
}
