import type { Author } from '../access/member.ts'

/** A comment as it is read (`docs/interface.md#posts-and-comments`). Times are Unix milliseconds. */
export interface CommentView {
  _id: string
  postId: string
  /** The comment that it replies to; null: it stands by itself. */
  parentId: string | null
  /** In stored form: mentions stay as `@[Display Name](memberId)`. Empty where the comment was deleted. */
  body: string
  author: Author
  createdAt: number
  /** It was deleted, and is there for the replies to it alone. */
  deleted?: true
}

export interface CommentPage {
  /** Oldest first. */
  comments: CommentView[]
  /** What the next, newer page is asked for with; null: nothing newer is there. */
  nextCursor: string | null
}

export interface NewComment {
  body: string
  /** The comment that it replies to. */
  parentId?: string
  /** The same key by the same member within 24 hours is answered what the first was. */
  idempotencyKey?: string
}
