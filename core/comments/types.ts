import type { Author } from '../access/member.ts'

/** A comment as it is read (`docs/interface.md#posts-and-comments`). Times are Unix milliseconds. */
export interface CommentView {
  _id: string
  postId: string
  parentId: string | null
  /** Keeps mentions as `@[Display Name](memberId)`. Empty if the comment was deleted. */
  body: string
  author: Author
  createdAt: number
  /** Set for a comment on a block: its current id, or the last one if it was removed. */
  block?: string
  /** The block's text when the comment was written. */
  quote?: string
  blockRemoved?: true
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
  /** The id of the first comment of the list page; takes precedence over `cursor`. */
  from?: string
}

export interface BlockComments {
  block: string
  commentId: string
  count: number
}

export interface NewComment {
  body: string
  parentId?: string
  block?: string
  /** Requests with the same key within 24 hours create one comment. */
  idempotencyKey?: string
}
