import type { Author, MemberType } from '../access/member.ts'
import type { Involvement } from '../room-members/involvement.ts'

/** Who may join: everyone, those whom a person invited, or the two or few who talk privately. */
export const roomTypes = ['open', 'closed', 'direct'] as const
export type RoomType = (typeof roomTypes)[number]

/** A room as a caller is shown it (`docs/interface.md#rooms-and-messages`). */
export interface RoomView {
  _id: string
  name: string
  type: RoomType
  description: string
  /** Null when it belongs to no project. */
  projectId: string | null
  /** Whether the caller is in it. */
  joined: boolean
}

/** A room as one who is in it is shown it. */
export interface RoomDetail extends RoomView {
  involvement: Involvement
  /** The active ones, in the order in which they joined. */
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

/** A room as the way around shows it to one who is in it, or free to join it. */
export interface SidebarRoom {
  id: string
  slug: string
  /** A direct room is called by the others in it. */
  name: string
  type: RoomType
  projectId: string | null
  /** Of the page, without the base address. */
  path: string
  /** Null: they are not in it. */
  involvement: Involvement | null
  /** How many messages there are that they have not read; 100: or more. None in a room that they want to hear nothing of. */
  unread: number
  /** How many of their unread mentions stand in it. */
  mentions: number
}

/** All the rooms that somebody may want to go to, oldest first. */
export interface RoomsOverview {
  joined: SidebarRoom[]
  /** The open ones that they are not in. */
  open: SidebarRoom[]
}

/** A room as its page shows it. */
export interface RoomPage extends RoomDetail {
  slug: string
  /** A direct room is called by the others in it. */
  title: string
  /** Of the page, without the base address. */
  path: string
  /** As in the overview. */
  unread: number
  /** The first message that the reader has not read; null: there is none. */
  firstUnreadId: string | null
}

/** A room as a file of the tree: its transcript. */
export interface RoomListItem {
  /** `<slug>.md` */
  filename: string
  name: string
  joined: boolean
  /** `/v1/fs/rooms/…` */
  path: string
}

export interface NewRoom {
  name: string
  type: RoomType
  description?: string
  /** Id or slug of the project that it belongs to. */
  projectId?: string
  /** Ids of those who are in it from the start, besides its creator. */
  members?: readonly string[]
}

/** A message as it is read from a room (`docs/interface.md#rooms-and-messages`). Times are Unix milliseconds. */
export interface MessageView {
  _id: string
  /** In stored form: mentions stay as `@[Display Name](memberId)`. */
  body: string
  _creationTime: number
  author: Author
  /** The client that sent it, when one was named. */
  sentVia?: string
  /** The message that it replies to. */
  threadId?: string
  /** How many replies it has; left out when none. */
  replyCount?: number
  editedAt?: number
}

/** `docs/interface.md#rooms-and-messages`. */
export interface MessagePage {
  /** Newest first. */
  page: MessageView[]
  /** What the next, older page is asked for with. */
  continueCursor: string
  /** Whether nothing older is there. */
  isDone: boolean
}

export interface NewMessage {
  body: string
  /** The message that it replies to. */
  threadId?: string
  /** The client that sends it. */
  sentVia?: string
  /** The same key by the same member within 24 hours is answered what the first was. */
  idempotencyKey?: string
}
