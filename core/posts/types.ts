import type { Author } from '../access/member.ts'

export interface NewPost {
  title: string
  /** Markdown below the title. Mentions in canonical form, or bare as in a file. */
  body: string
  /** Default: whether it is scheduled. */
  isDraft?: boolean
  /** When it is to be published: ISO 8601 or Unix milliseconds; null: nothing is said of that. */
  scheduledFor?: string | number | null
}

/** A post, or a draft of the reader's own. Times are Unix milliseconds. */
export interface PostView {
  _id: string
  projectId: string
  title: string
  /** What stands below the title, mentions in canonical form. */
  body: string
  author: Author
  /** Of a draft: when it was created. */
  publishedAt: number
  editedAt: number | null
  isDraft: boolean
  isPinned: boolean
  /** When a draft is to be published. */
  scheduledFor: number | null
  commentCount: number
  lastActivityAt: number
  filename: string
  path: string
  url: string
}

export interface PostPage {
  posts: PostView[]
  /** Of the next page; null: there is none. */
  nextCursor: string | null
}
