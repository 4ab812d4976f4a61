import type { Author, MemberType } from '../access/member.ts'
import type { Involvement } from '../room-members/involvement.ts'

/** Everyone may join an open room; the others require an invitation from a person who is in it. */
export const roomTypes = ['open', 'closed', 'direct'] as const
export type RoomType = (typeof roomTypes)[number]

export interface RoomView {
  _id: string
  name: string
  type: RoomType
  description: string
  projectId: string | null
  joined: boolean
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

export interface SidebarPlace {
  favourite: boolean
  /** The name of a section of the member's own. */
  section: string | null
}

export interface SidebarRoom extends SidebarPlace {
  id: string
  slug: string
  /** For a direct room, the names of the other members. */
  name: string
  type: RoomType
  projectId: string | null
  path: string
  involvement: Involvement | null
  /** 100 means 100 or more. 0 in a muted room. */
  unread: number
  mentions: number
  /** Unread replies in the member's threads, which `unread` does not count. */
  replies: number
}

/** `archived` rooms are in neither of the other lists. */
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

/** `docs/interface.md#rooms-and-messages`. Times are Unix milliseconds. */
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
  pinned?: true
}

export interface PinView {
  message: MessageView
  pinnedBy: Author
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
  /** The cursor of the next, older list page. */
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
  /** Requests with the same key within 24 hours create one message. */
  idempotencyKey?: string
}
