import type { Author } from '../access/member.ts'

export interface NewPost {
  title: string
  /** Markdown below the title; mentions in canonical form, or bare as in a file. */
  body: string
  /** Default: true if `scheduledFor` is set. */
  isDraft?: boolean
  scheduledFor?: string | number | null
}

/** A post, or one of the reader's drafts. Times are Unix milliseconds. */
export interface PostView {
  _id: string
  projectId: string
  title: string
  body: string
  author: Author
  /** For a draft, when it was created. */
  publishedAt: number
  editedAt: number | null
  isDraft: boolean
  isPinned: boolean
  scheduledFor: number | null
  commentCount: number
  lastActivityAt: number
  filename: string
  path: string
  url: string
}

export interface PostPage {
  posts: PostView[]
  nextCursor: string | null
}
