import type { MemberType } from '../access/member.ts'
import type { AskDetails } from '../asks/ask-details.ts'
import type { SidebarRoom } from '../rooms/types.ts'

/** Somebody, as they are named. */
export interface MemberName {
  id: string
  name: string
  type: MemberType
}

/** A project, as it is named. */
export interface ProjectName {
  id: string
  slug: string
  name: string
}

/** A mention that its reader has not read. */
export interface MentionItem {
  /** Of the message, post or comment that it stands in: by it the mention is marked as read. */
  id: string
  kind: 'message' | 'post' | 'comment'
  by: MemberName
  /** The name of the room, or the title of the post. */
  title: string
  /** How it begins, as plain text; null for a post, which its title stands for. */
  preview: string | null
  /** Unix milliseconds. */
  at: number
  /** The page where it is to be read, without the base address. */
  page: string
}

/** An ask that waits for its reader. */
export interface AskItem extends AskDetails {
  /** Why it is theirs: they have claimed it, it is meant for them, or it is a question that they may answer. */
  why: 'claimed' | 'assigned' | 'question'
  project: ProjectName
}

/** A post that was published, or a document or card that somebody else has written lately. */
export interface WriteItem {
  id: string
  kind: 'post' | 'document' | 'card' | 'home'
  title: string
  /** Nobody has changed it since it was made. */
  isNew: boolean
  by: MemberName
  /** Unix milliseconds. */
  at: number
  project: ProjectName
  /** The page where it is to be read, without the base address. */
  page: string
}

/** What is new for somebody. */
export interface HomeFeedItems {
  /** Newest first, at most 50. */
  mentions: MentionItem[]
  /** How many mentions there are; 100: or more. */
  mentionCount: number
  /** What they have claimed, then what is meant for them, then questions; newest first in each, at most 50 of all. */
  asks: AskItem[]
  /** Of the last seven days, newest first, at most 30. */
  writes: WriteItem[]
  /** The rooms in which something is unread. */
  rooms: SidebarRoom[]
}
