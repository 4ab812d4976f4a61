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
}

export interface RoomDetail extends RoomView {
  involvement: Involvement
  /** Active members, in the order in which they joined. */
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
  /** When the signal ends, Unix milliseconds. */
  until: number
}

/** A room in the sidebar of a member who is in it or can join it. */
export interface SidebarRoom {
  id: string
  slug: string
  /** Of a direct room: the other members in it. */
  name: string
  type: RoomType
  projectId: string | null
  /** Of the page, without the base address. */
  path: string
  /** Null if the member is not in it. */
  involvement: Involvement | null
  /** The number of unread messages; 100 means 100 or more. 0 in a muted room. */
  unread: number
  /** Only unread ones. */
  mentions: number
}

/** Oldest first. */
export interface RoomsOverview {
  joined: SidebarRoom[]
  open: SidebarRoom[]
}

export interface RoomPage extends RoomDetail, Pick<SidebarRoom, 'slug' | 'path' | 'unread'> {
  /** As `SidebarRoom.name`. */
  title: string
  firstUnreadId: string | null
}

/** The transcript of a room in the file tree. */
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

/** A message (`docs/interface.md#rooms-and-messages`). Times are Unix milliseconds. */
export interface MessageView {
  _id: string
  /** In stored form: mentions stay as `@[Display Name](memberId)`. */
  body: string
  _creationTime: number
  author: Author
  sentVia?: string
  /** The message that it replies to. */
  threadId?: string
  replyCount?: number
  editedAt?: number
}

export interface MessagePage {
  /** Newest first. */
  page: MessageView[]
  /** The cursor of the next, older page. */
  continueCursor: string
  isDone: boolean
}

export interface MessagePageRequest {
  /** At most 100. */
  limit: number
  cursor?: string
  /** Reads the replies to this message. */
  threadId?: string
}

export interface NewMessage {
  body: string
  threadId?: string
  sentVia?: string
  /** Requests with the same key within 24 hours are one. */
  idempotencyKey?: string
}
