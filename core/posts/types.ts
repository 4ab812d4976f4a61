import type { Author } from '../access/member.ts'

export interface NewPost {
  title: string
  /** Markdown below the title. Mentions in canonical form, or bare as in a file. */
  body: string
  /** Default: whether it is scheduled. */
  isDraft?: boolean
  /** ISO 8601 or Unix milliseconds. */
  scheduledFor?: string | number | null
}

/** A post, or the reader's own draft. Times are Unix milliseconds. */
export interface PostView {
  _id: string
  projectId: string
  title: string
  /** The text below the title, with mentions in canonical form. */
  body: string
  author: Author
  /** Of a draft: when it was created. */
  publishedAt: number
  editedAt: number | null
  isDraft: boolean
  isPinned: boolean
  /** Of a draft. */
  scheduledFor: number | null
  commentCount: number
  lastActivityAt: number
  filename: string
  path: string
  url: string
}

export interface PostPage {
  posts: PostView[]
  /** null on the last page. */
  nextCursor: string | null
}
