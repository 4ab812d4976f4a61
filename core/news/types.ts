import type { MemberType } from '../access/member.ts'
import type { AskDetails } from '../asks/ask-details.ts'
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
  /** The id of the message, post or comment, by which the mention is marked as read. */
  id: string
  kind: 'message' | 'post' | 'comment'
  by: MemberName
  /** The name of the room, or the title of the post. */
  title: string
  /** The beginning as plain text; null for a post. */
  preview: string | null
  /** Unix milliseconds. */
  at: number
  /** Without the base address. */
  page: string
}

export interface AskItem extends AskDetails {
  /** Claimed by the reader, assigned to them, or a question. */
  why: 'claimed' | 'assigned' | 'question'
  project: ProjectName
}

/** A published post, or a document or card written by others. */
export interface WriteItem {
  id: string
  kind: 'post' | 'document' | 'card' | 'home'
  title: string
  /** Whether it was not changed since its creation. */
  isNew: boolean
  by: MemberName
  /** Unix milliseconds. */
  at: number
  project: ProjectName
  /** Without the base address. */
  page: string
}

export interface HomeFeedItems {
  /** Newest first, at most 50. */
  mentions: MentionItem[]
  /** 100 means at least 100. */
  mentionCount: number
  /** Claimed, then assigned, then questions; newest first in each, at most 50. */
  asks: AskItem[]
  /** Of the last seven days, newest first, at most 30. */
  writes: WriteItem[]
  /** Rooms with unread messages. */
  rooms: SidebarRoom[]
}
