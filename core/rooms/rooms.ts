import type { Database } from '../../data/database.ts'
import type { PinnedMessagesTable } from '../../data/tables/pinned-messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Caller, Member } from '../access/member.ts'
import {
  mayManageRoom,
  requireAgentAccess,
  requirePerson,
  requireRoomEntry,
  requireScope,
} from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Notices } from '../inbox/notices.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { OnlinePresence } from '../members/online-presence.ts'
import { roomPagePath, transcriptName, transcriptPath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Involvement } from '../room-members/involvement.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { requireRoomDescription, requireRoomName } from '../room-members/naming.ts'
import type { ReadPositions } from './read-positions.ts'
import type { RoomStore } from './room-store.ts'
import { roomView } from './room-view.ts'
import type { Transcripts } from './transcripts.ts'
import {
  type NewRoom,
  type RoomDetail,
  type RoomListItem,
  type RoomPage,
  type RoomsOverview,
  type RoomView,
  roomTypes,
} from './types.ts'
import type { TypingSignals } from './typing.ts'

interface RoomsDeps {
  database: Database
  rooms: RoomStore
  members: MemberStore
  projects: ProjectStore
  memberships: Memberships
  presence: OnlinePresence
  noticeStore: Notices
  typing: TypingSignals
  readPositions: ReadPositions
  pinnedMessages: Pick<PinnedMessagesTable, 'count'>
  transcripts: Transcripts
}

/** Every method throws WorkspaceError `not_found`, `forbidden`, or `bad_request` for invalid input. */
export class Rooms {
  constructor(private readonly deps: RoomsDeps) {}

  /** With `archived`, lists only archived rooms, otherwise only the others. */
  list(caller: Caller, { all, archived = false }: { all: boolean; archived?: boolean }): RoomView[] {
    return this.visibleTo(caller, { all, archived }).map(({ room, joined }) => roomView(room, joined))
  }

  overview(caller: Caller): RoomsOverview {
    requireScope(caller, 'rooms:read')
    return this.deps.readPositions.overview(caller.member)
  }

  page(caller: Caller, idOrSlug: string): RoomPage {
    const detail = this.get(caller, idOrSlug)
    const { memberships, pinnedMessages, readPositions } = this.deps
    const room = memberships.require(detail._id)
    return {
      ...detail,
      slug: room.slug,
      title: readPositions.nameOf(room, caller.member),
      path: roomPagePath(room),
      isManaged: mayManageRoom(caller.member, room, true),
      isWelcoming: room.welcomesPeople === 1,
      ...readPositions.unreadIn(room, caller.member),
      pins: pinnedMessages.count(room.id),
    }
  }

  directPathWith(caller: Caller, member: Member): string | null {
    requireScope(caller, 'rooms:read')
    const room = this.deps.rooms.directOf(caller.member, member)
    return room && roomPagePath(room)
  }

  /** Returns null if another room has the slug now, or the caller may not read the room. */
  movedTo(caller: Caller, slug: string): string | null {
    const { memberships, rooms } = this.deps
    const room = rooms.renamedFrom(slug)
    return room && memberships.mayRead(room, caller.member) ? roomPagePath(room) : null
  }

  async markRead(caller: Caller, idOrSlug: string, messageId: string): Promise<{ unread: number }> {
    requireScope(caller, 'rooms:read')
    const { memberships, readPositions } = this.deps
    return this.commit(() =>
      readPositions.markRead(memberships.requireIn(caller.member, idOrSlug), messageId, caller.member),
    )
  }

  /** @throws WorkspaceError `bad_request` for a reply in a thread */
  async markUnread(caller: Caller, idOrSlug: string, messageId: string): Promise<{ unread: number }> {
    requireScope(caller, 'rooms:read')
    const { memberships, readPositions } = this.deps
    return this.commit(() =>
      readPositions.markUnread(memberships.requireIn(caller.member, idOrSlug), messageId, caller.member),
    )
  }

  get(caller: Caller, idOrSlug: string): RoomDetail {
    requireScope(caller, 'rooms:read')
    const { memberships, presence, typing } = this.deps
    const room = memberships.requireIn(caller.member, idOrSlug)
    const present = memberships.in(room).map(({ member }) => member)
    return {
      ...roomView(room, true),
      involvement: memberships.involvementOf(room, caller.member)!,
      ...memberships.sidebarPlaceOf(room, caller.member),
      members: present.map(({ id, name, type }) => ({
        _id: id,
        name,
        type,
        online: presence.isOnline(id),
        here: presence.isInRoom(id, room.id),
      })),
      typing: typing.membersOf(room.id, present),
    }
  }

  /** Returns the existing direct room of two members. */
  async create(caller: Caller, request: NewRoom): Promise<{ room: RoomView; isNew: boolean }> {
    requireScope(caller, 'rooms:write')
    requirePerson(caller.member, 'create a room')
    requireRoomName(request.name)
    requireRoomDescription(request.description ?? '')
    requireRoomType(request.type)
    const { projects, rooms } = this.deps
    const { projectId } = request
    const project = projectId === undefined ? null : projects.require(caller.member, projectId)
    return this.commit(() => {
      const existing = project ? null : this.findDirectRoomWith(caller, request)
      const room = existing ?? rooms.add(caller.member, request, project?.id ?? null)
      return { room: roomView(room, true), isNew: existing === null }
    })
  }

  async join(caller: Caller, idOrSlug: string): Promise<{ joined: true; already: boolean }> {
    requireScope(caller, 'rooms:write')
    const { memberships, noticeStore } = this.deps
    return this.commit(() => {
      const room = memberships.require(idOrSlug)
      memberships.requireEntryToProject(room, caller.member)
      requireRoomEntry(room, memberships.isIn(room, caller.member))
      const isNew = memberships.add(room, caller.member)
      if (isNew) noticeStore.removeForReturn(caller.member.id, room)
      return { joined: true, already: !isNew }
    })
  }

  async leave(caller: Caller, idOrSlug: string): Promise<{ joined: false }> {
    requireScope(caller, 'rooms:write')
    const { memberships, typing } = this.deps
    const room = memberships.require(idOrSlug)
    await this.commit(() => memberships.remove(room, caller.member))
    typing.end(room.id, caller.member.id)
    return { joined: false }
  }

  async invite(caller: Caller, idOrSlug: string, idOrName: string): Promise<{ joined: true }> {
    requireScope(caller, 'rooms:write')
    const { memberships, noticeStore, rooms } = this.deps
    return this.commit(() => {
      const room = memberships.requireIn(caller.member, idOrSlug)
      requirePerson(caller.member, 'add members to a room')
      const invitee = rooms.requireInvitee(room, idOrName)
      if (memberships.add(room, invitee)) noticeStore.removeForReturn(invitee.id, room)
      return { joined: true }
    })
  }

  /** @param agentId an agent that the caller administers; defaults to the caller */
  async setInvolvement(
    caller: Caller,
    idOrSlug: string,
    involvement: Involvement,
    agentId?: string,
  ): Promise<{ involvement: Involvement }> {
    requireScope(caller, 'rooms:write')
    const { memberships } = this.deps
    return this.commit(() => {
      const member = agentId === undefined ? caller.member : this.requireAgent(caller, agentId)
      const room = memberships.requireIn(member, idOrSlug)
      memberships.setInvolvement(room, member, involvement)
      return { involvement }
    })
  }

  private findDirectRoomWith({ member }: Caller, { type, members = [] }: NewRoom): RoomRow | null {
    const [idOrName] = members
    const other = type === 'direct' && members.length === 1 ? this.deps.members.resolve(idOrName!) : null
    return other && other.id !== member.id ? this.deps.rooms.directOf(member, other) : null
  }

  private requireAgent(caller: Caller, idOrName: string): Member {
    const member = this.deps.members.resolve(idOrName)
    if (!member) {
      throw new WorkspaceError('not_found', `There is no member ${idOrName}.`, {
        next: { step: 'list members' },
      })
    }
    if (member.id !== caller.member.id) requireAgentAccess(caller, member)
    return member
  }

  /** Recorded in memory only. */
  heartbeat(caller: Caller, { roomId, client }: { roomId?: string; client?: string }): void {
    requireScope(caller, 'rooms:write')
    const { memberships, presence } = this.deps
    const room = roomId === undefined ? null : memberships.requireIn(caller.member, roomId)
    presence.beat(caller.member.id, { roomId: room?.id ?? null, client: client ?? null })
  }

  /** Includes the open rooms that the caller can join. */
  files(caller: Caller): RoomListItem[] {
    return this.visibleTo(caller, { all: true, archived: false }).map(({ room, joined }) => ({
      filename: transcriptName(room),
      name: room.name,
      joined,
      path: transcriptPath(room),
    }))
  }

  transcript(caller: Caller, filename: string, messageId?: string): { text: string; url: string } {
    requireScope(caller, 'rooms:read')
    const { memberships, transcripts } = this.deps
    const room = memberships.requireIn(caller.member, filename.replace(/\.md$/i, ''))
    return messageId === undefined ? transcripts.ofRoom(room) : transcripts.ofThread(room, messageId)
  }

  private visibleTo(
    caller: Caller,
    { all, archived }: { all: boolean; archived: boolean },
  ): { room: RoomRow; joined: boolean }[] {
    requireScope(caller, 'rooms:read')
    const { rooms } = this.deps
    const joined = rooms.joinedBy(caller.member).map((room) => ({ room, joined: true }))
    const others = all ? rooms.openToJoin(caller.member).map((room) => ({ room, joined: false })) : []
    return [...joined, ...others]
      .filter(({ room }) => (room.archivedMs !== null) === archived)
      .sort((one, other) => byAge(one.room, other.room))
  }

  private commit<T>(write: () => T): Promise<T> {
    return commitOrUnavailable(this.deps.database, write)
  }
}

const byAge = (one: RoomRow, other: RoomRow): number =>
  one.createdMs - other.createdMs || (one.id < other.id ? -1 : 1)

function requireRoomType(type: string): void {
  if (roomTypes.some((roomType) => roomType === type)) return
  throw new WorkspaceError('bad_request', `type must be one of ${roomTypes.join(', ')}.`)
}
