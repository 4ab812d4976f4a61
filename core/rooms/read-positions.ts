import type { Database } from '../../data/database.ts'
import type { InboxTable } from '../../data/tables/inbox.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { RoomMembersTable } from '../../data/tables/room-members.ts'
import type { RoomRow, RoomsTable } from '../../data/tables/rooms.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { roomPagePath } from '../paths.ts'
import type { Involvement } from '../room-members/involvement.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock } from '../time/clock.ts'
import type { RoomsOverview, SidebarRoom } from './types.ts'

interface ReadingDeps {
  clock: Clock
  database: Database
  inboxRows: InboxTable
  memberships: Memberships
  messages: MessagesTable
  roomMembers: RoomMembersTable
  rooms: RoomsTable
}

/** More unread messages than this are not counted. */
const maxUnreadCounted = 100

/** In these rooms nothing counts as unread. */
const mutedInvolvements: readonly (Involvement | null)[] = ['nothing', 'invisible']

/** How far members have read the rooms that they are in. What they have said themselves counts as read. */
export class ReadPositions {
  private readonly deps: ReadingDeps

  constructor(deps: ReadingDeps) {
    this.deps = deps
  }

  /** All the rooms that the caller may want to go to, with what is unread there. */
  overview(caller: Caller): RoomsOverview {
    requireScope(caller, 'rooms:read')
    const { inboxRows, memberships, roomMembers, rooms } = this.deps
    const { member } = caller
    const read = new Map(roomMembers.ofMember(member.id).map((row) => [row.roomId, row]))
    const mentions = new Map(inboxRows.unreadByRoom(member.id).map(({ roomId, count }) => [roomId, count]))
    const mayEnter = (room: RoomRow) => memberships.mayEnterProjectOf(room, member)
    const joined = rooms.joinedBy(member.id).filter(mayEnter)
    const open = rooms.openToJoin(member.id).filter(mayEnter)
    return {
      joined: joined.map((room) => {
        const { involvement, readPlace } = read.get(room.id)!
        return {
          ...this.entryOf(room, member),
          involvement,
          unread: this.count(room.id, member, { involvement, readPlace }),
          mentions: mentions.get(room.id) ?? 0,
        }
      }),
      open: open.map((room) => this.entryOf(room, member)),
    }
  }

  /** What the caller has not read of a room that they are in. */
  unreadIn({ id }: RoomRow, member: Member): { unread: number; firstUnreadId: string | null } {
    const { memberships, messages, roomMembers } = this.deps
    const readPlace = roomMembers.readPlace(id, member.id)
    const involvement = memberships.involvementOf({ id }, member)
    const unread = this.count(id, member, { involvement, readPlace })
    return { unread, firstUnreadId: unread > 0 ? messages.firstUnread(id, readPlace, member.id) : null }
  }

  /**
   * The caller has read a room up to one of its messages, and with them what they were told of those. It never goes back.
   * A reply says it of its thread alone: who reads a room is not shown what is answered there.
   * @returns how many are unread now, as the overview counts them
   * @throws WorkspaceError `forbidden` outside the room; `not_found` for a message that is not in it
   */
  async markRead(caller: Caller, idOrSlug: string, messageId: string): Promise<{ unread: number }> {
    requireScope(caller, 'rooms:read')
    const { clock, database, inboxRows, memberships, messages, roomMembers } = this.deps
    const { member } = caller
    return commitOrUnavailable(database, () => {
      const room = memberships.requireIn(member, idOrSlug)
      const message = messages.find(messageId)
      if (message?.roomId !== room.id) {
        throw new WorkspaceError('not_found', `There is no message ${messageId} in this room.`)
      }
      const { place, threadId } = message
      if (threadId === null) roomMembers.setReadPlace(room.id, member.id, place)
      const readMs = clock.now()
      inboxRows.markReadUpTo({ memberId: member.id, roomId: room.id, place, threadId, readMs })
      return { unread: this.unreadIn(room, member).unread }
    })
  }

  /** What a person calls the room: a direct one goes by the others in it. */
  nameOf(room: RoomRow, reader: Member): string {
    if (room.type !== 'direct') return room.name
    const others = this.deps.memberships.in(room).filter(({ member }) => member.id !== reader.id)
    return others.map(({ member }) => member.name).join(', ') || room.name
  }

  private count(
    roomId: string,
    member: Member,
    { involvement, readPlace }: { involvement: Involvement | null; readPlace: number },
  ): number {
    if (mutedInvolvements.includes(involvement)) return 0
    return this.deps.messages.countUnread(roomId, readPlace, member.id, maxUnreadCounted)
  }

  private entryOf(room: RoomRow, member: Member): SidebarRoom {
    const { id, slug, type, projectId } = room
    const path = roomPagePath(room)
    const name = this.nameOf(room, member)
    return { id, slug, name, type, projectId, path, involvement: null, unread: 0, mentions: 0 }
  }
}
