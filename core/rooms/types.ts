import type { Author, MemberType } from '../access/member.ts'
import type { Involvement } from '../room-members/involvement.ts'

/** Everyone may join an open room; the others take an invitation from a person who is in it. */
export const roomTypes = ['open', 'closed', 'direct'] as const
export type RoomType = (typeof roomTypes)[number]

export interface RoomView {
  _id: string
  name: string
  type: RoomType
  description: string
  projectId: string | null
  joined: boolean
  /** Only in an archived room. */
  archivedAt?: number
}

export interface RoomDetail extends RoomView, SidebarPlace {
  involvement: Involvement
  members: RoomMemberView[]
  typing: TypingView[]
}

export interface RoomMemberView {
  _id: string
  name: string
  type: MemberType
  /** Sent a heartbeat within the last 90 seconds. */
  online: boolean
  /** The last heartbeat named this room. */
  here: boolean
}

export interface TypingView {
  memberId: string
  name: string
  until: number
}

/** Where a member has a room in the sidebar. */
export interface SidebarPlace {
  favourite: boolean
  /** The name of a section of the member's own; null: in none. */
  section: string | null
}

export interface SidebarRoom extends SidebarPlace {
  id: string
  slug: string
  /** Of a direct room: the other members in it. */
  name: string
  type: RoomType
  projectId: string | null
  path: string
  involvement: Involvement | null
  /** The number of unread messages; 100 means 100 or more. 0 in a muted room. */
  unread: number
  /** Only unread ones. */
  mentions: number
  /** Unread replies in the member's threads, which `unread` does not count. */
  replies: number
}

/** Archived rooms, whether joined or open, are apart. */
export interface RoomsOverview {
  joined: SidebarRoom[]
  open: SidebarRoom[]
  archived: SidebarRoom[]
}

export interface RoomPage extends RoomDetail, Pick<SidebarRoom, 'slug' | 'path' | 'unread'> {
  title: string
  /** Whether the reader may archive and delete it, and remove its members. */
  isManaged: boolean
  /** The room that all new members join. */
  isWelcoming: boolean
  firstUnreadId: string | null
  /** The number of pinned messages. */
  pins: number
}

export interface RoomListItem {
  filename: string
  name: string
  joined: boolean
  path: string
}

export interface NewRoom {
  name: string
  type: RoomType
  description?: string
  /** Id or slug. */
  projectId?: string
  /** Ids, slugs or names of members besides the creator. */
  members?: readonly string[]
}

export interface RoomChanges {
  name?: string
  description?: string
  type?: 'open' | 'closed'
  archived?: boolean
}

/** A message (`docs/interface.md#rooms-and-messages`). Times are Unix milliseconds. */
export interface MessageView {
  _id: string
  body: string
  _creationTime: number
  author: Author
  sentVia?: string
  threadId?: string
  replyCount?: number
  editedAt?: number
  reactions?: ReactionView[]
  /** Left out of messages that are not pinned. */
  pinned?: true
}

export interface PinView {
  message: MessageView
  pinnedBy: Author
  /** Unix milliseconds. */
  pinnedAt: number
}

export interface ReactionView {
  emoji: string
  count: number
  /** In the order in which they reacted. */
  members: { _id: string; name: string }[]
}

export interface MessagePage {
  page: MessageView[]
  /** The cursor of the next, older page. */
  continueCursor: string
  isDone: boolean
}

export interface MessagePageRequest {
  limit: number
  cursor?: string
  threadId?: string
}

export interface NewMessage {
  body: string
  threadId?: string
  sentVia?: string
  /** Requests with the same key within 24 hours are one. */
  idempotencyKey?: string
}
