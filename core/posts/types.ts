import type { Author } from '../access/member.ts'

export interface NewPost {
  title: string
  /** Markdown below the title, with stored or bare mentions. */
  body: string
  /** Defaults to true if `scheduledFor` is set. */
  isDraft?: boolean
  scheduledFor?: string | number | null
}

/** Times are Unix milliseconds. */
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
