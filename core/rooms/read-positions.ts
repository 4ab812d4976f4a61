import type { InboxTable } from '../../data/tables/inbox.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { NoticesTable } from '../../data/tables/notices.ts'
import type { RoomMembersTable } from '../../data/tables/room-members.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { roomPagePath } from '../paths.ts'
import type { Involvement } from '../room-members/involvement.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock } from '../time/clock.ts'
import { requireMessageIn } from './require-message.ts'
import type { RoomStore } from './room-store.ts'
import type { RoomsOverview, SidebarRoom } from './types.ts'

interface ReadPositionsDeps {
  clock: Clock
  inboxRows: InboxTable
  memberships: Memberships
  messages: MessagesTable
  notices: NoticesTable
  roomMembers: RoomMembersTable
  rooms: RoomStore
}

const maxUnreadCounted = 100

/** In these rooms nothing counts as unread. */
const mutedInvolvements: readonly (Involvement | null)[] = ['nothing', 'invisible']

/** A member's own messages count as read. Checks no caller. */
export class ReadPositions {
  constructor(private readonly deps: ReadPositionsDeps) {}

  overview(member: Member): RoomsOverview {
    const { inboxRows, notices, roomMembers, rooms } = this.deps
    const rowsByRoom = new Map(roomMembers.ofMember(member.id).map((row) => [row.roomId, row]))
    const mentions = new Map(inboxRows.unreadByRoom(member.id).map(({ roomId, count }) => [roomId, count]))
    const replies = new Map(notices.repliesByRoom(member.id).map(({ roomId, count }) => [roomId, count]))
    const joinedRoom = (room: RoomRow): SidebarRoom => {
      const { involvement, readPlace, isFavourite, section } = rowsByRoom.get(room.id)!
      return {
        ...this.sidebarRoom(room, member),
        involvement,
        favourite: isFavourite === 1,
        section,
        unread: this.count(room.id, member, { involvement, readPlace }),
        mentions: mentions.get(room.id) ?? 0,
        replies: replies.get(room.id) ?? 0,
      }
    }
    const [joined, open] = [rooms.joinedBy(member), rooms.openToJoin(member)]
    const openRoom = (room: RoomRow) => this.sidebarRoom(room, member)
    return {
      joined: joined.filter(isCurrent).map(joinedRoom),
      open: open.filter(isCurrent).map(openRoom),
      archived: [...joined.filter(isArchived).map(joinedRoom), ...open.filter(isArchived).map(openRoom)],
    }
  }

  unreadIn({ id }: RoomRow, member: Member): { unread: number; firstUnreadId: string | null } {
    const { memberships, messages, roomMembers } = this.deps
    const readPlace = roomMembers.readPlace(id, member.id)
    const involvement = memberships.involvementOf({ id }, member)
    const unread = this.count(id, member, { involvement, readPlace })
    return { unread, firstUnreadId: unread > 0 ? messages.firstUnread(id, readPlace, member.id) : null }
  }

  /** Never moves back. A reply marks only its thread. Must be called inside a commit. */
  markRead(room: RoomRow, messageId: string, member: Member): { unread: number } {
    const { clock, inboxRows, messages, notices, roomMembers } = this.deps
    const { place, threadId } = requireMessageIn(room, messageId, messages)
    if (threadId === null) roomMembers.setReadPlace(room.id, member.id, place)
    const readMs = clock.now()
    const read = { memberId: member.id, roomId: room.id, place, threadId, readMs }
    inboxRows.markReadUpTo(read)
    notices.markReadUpTo(read)
    return { unread: this.unreadIn(room, member).unread }
  }

  /** Leaves mentions read. Must be called inside a commit. @throws `bad_request` for a reply */
  markUnread(room: RoomRow, messageId: string, member: Member): { unread: number } {
    const { messages, roomMembers } = this.deps
    const { place, threadId } = requireMessageIn(room, messageId, messages)
    if (threadId !== null) {
      throw new WorkspaceError(
        'bad_request',
        'A reply in a thread cannot be marked as unread. Use the message that the thread begins with.',
      )
    }
    roomMembers.resetReadPlace(room.id, member.id, place - 1)
    return { unread: this.unreadIn(room, member).unread }
  }

  /** A direct room is named after the other members in it. */
  nameOf(room: RoomRow, reader: Member): string {
    if (room.type !== 'direct') return room.name
    const otherMembers = this.deps.memberships.in(room).filter(({ member }) => member.id !== reader.id)
    return otherMembers.map(({ member }) => member.name).join(', ') || room.name
  }

  private count(
    roomId: string,
    member: Member,
    { involvement, readPlace }: { involvement: Involvement | null; readPlace: number },
  ): number {
    if (mutedInvolvements.includes(involvement)) return 0
    return this.deps.messages.countUnread(roomId, readPlace, member.id, maxUnreadCounted)
  }

  private sidebarRoom(room: RoomRow, member: Member): SidebarRoom {
    const { id, slug, type, projectId } = room
    const path = roomPagePath(room)
    const name = this.nameOf(room, member)
    const sidebarPlace = { favourite: false, section: null }
    const counts = { unread: 0, mentions: 0, replies: 0 }
    return { id, slug, name, type, projectId, path, involvement: null, ...sidebarPlace, ...counts }
  }
}

const isArchived = ({ archivedMs }: RoomRow): boolean => archivedMs !== null
const isCurrent = ({ archivedMs }: RoomRow): boolean => archivedMs === null
