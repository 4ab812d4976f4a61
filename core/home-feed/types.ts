import type { MemberType } from '../access/member.ts'
import type { AskDetails } from '../asks/ask-details.ts'
import type { NoticeKind } from '../inbox/kinds.ts'
import type { SidebarRoom } from '../rooms/types.ts'

export interface MemberName {
  id: string
  name: string
  type: MemberType
}

export interface ProjectName {
  id: string
  slug: string
  name: string
}

export interface MentionItem {
  id: string
  kind: 'message' | 'post' | 'comment'
  by: MemberName
  title: string
  /** Plain text; null for a post. */
  preview: string | null
  at: number
  page: string
}

export interface NoticeItem {
  /** Newest first: the messages, or the one card, ask or comment. */
  ids: string[]
  kind: NoticeKind
  by: MemberName
  title: string
  preview: string | null
  at: number
  page: string
}

export interface AskItem extends AskDetails {
  /** `question`: one that the reader may answer. */
  why: 'claimed' | 'assigned' | 'question'
  project: ProjectName
}

export interface WriteItem {
  id: string
  kind: 'post' | 'document' | 'card' | 'home'
  title: string
  /** Not edited since it was created. */
  isNew: boolean
  by: MemberName
  at: number
  project: ProjectName
  page: string
}

export interface CardItem {
  number: number
  title: string
  /** In the tree. */
  path: string
}

/** An open card of the reader's that is due within a week, or overdue. */
export interface DueItem {
  id: string
  number: number
  title: string
  /** ISO 8601; only the day counts. */
  due: string
  project: ProjectName
  page: string
}

export interface HomeFeedItems {
  /** Newest first, at most 50. */
  mentions: MentionItem[]
  mentionCount: number
  /** Claimed, then assigned, then questions; newest first in each group, at most 50 in all. */
  asks: AskItem[]
  /** The earliest first, at most 50. */
  due: DueItem[]
  /** From the last seven days, newest first, at most 30. */
  writes: WriteItem[]
  /** Rooms with unread messages or mentions. */
  rooms: SidebarRoom[]
}
