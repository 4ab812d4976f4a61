import type { Database } from '../../data/database.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { RoomMembersTable } from '../../data/tables/room-members.ts'
import type { RoomRow, RoomsTable } from '../../data/tables/rooms.ts'
import type { Caller, Member } from '../access/member.ts'
import { requirePerson, requireRoomEntry, requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { OnlinePresence } from '../members/online-presence.ts'
import { messagePagePath, roomPagePath, transcriptName, transcriptPath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { type Involvement, involvements } from '../room-members/involvement.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { requireRoomDescription, requireRoomName, roomSlug } from '../room-members/naming.ts'
import type { Clock } from '../time/clock.ts'
import type { ReadPositions } from './read-positions.ts'
import { roomTranscript, threadTranscript } from './transcript.ts'
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
  clock: Clock
  newId: NewId
  rooms: RoomsTable
  roomMembers: RoomMembersTable
  messages: MessagesTable
  members: MemberStore
  projects: ProjectStore
  memberships: Memberships
  presence: OnlinePresence
  typing: TypingSignals
  reading: ReadPositions
  /** Absolute address of a page, from its path. */
  pageUrl: (path: string) => string
}

/** How many messages a transcript shows (`docs/interface.md#limits`). */
const transcriptLength = 50

/**
 * The chat rooms: which there are, who is in them, and how much of them each wants to hear. A room is named by its id
 * or slug. Every call throws WorkspaceError `forbidden` for what is not the caller's to see or do, and `not_found` for
 * a room that is not there.
 */
export class Rooms {
  private readonly deps: RoomsDeps

  constructor(deps: RoomsDeps) {
    this.deps = deps
  }

  /** The rooms that the caller is in, with `all` the open ones that they can join as well; oldest first. */
  list(caller: Caller, { all }: { all: boolean }): RoomView[] {
    return this.visibleTo(caller, all).map(({ room, joined }) => viewOf(room, joined))
  }

  /** The rooms that the caller is in and the open ones that they can join, with what is unread there. */
  overview(caller: Caller): RoomsOverview {
    return this.deps.reading.overview(caller)
  }

  /** A room that the caller is in, as its page shows it. */
  page(caller: Caller, idOrSlug: string): RoomPage {
    const detail = this.get(caller, idOrSlug)
    const { memberships, reading } = this.deps
    const room = memberships.require(detail._id)
    return {
      ...detail,
      slug: room.slug,
      title: reading.nameOf(room, caller.member),
      path: roomPagePath(room),
      ...reading.unreadIn(room, caller.member),
    }
  }

  /** The page of the room that had this slug, where no room has it now; null for none that the caller may read. */
  movedTo(caller: Caller, slug: string): string | null {
    const { memberships, rooms } = this.deps
    if (memberships.find(slug)) return null
    const room = rooms.formerly(slug.normalize('NFC'))
    return room && memberships.mayRead(room, caller.member) ? roomPagePath(room) : null
  }

  /** The caller has read a room up to one of its messages. @throws WorkspaceError as `ReadPositions.markRead` */
  markRead(caller: Caller, idOrSlug: string, messageId: string): Promise<{ unread: number }> {
    return this.deps.reading.markRead(caller, idOrSlug, messageId)
  }

  get(caller: Caller, idOrSlug: string): RoomDetail {
    requireScope(caller, 'rooms:read')
    const { memberships, presence, typing } = this.deps
    const room = memberships.requireIn(caller.member, idOrSlug)
    const present = memberships.in(room).map(({ member }) => member)
    return {
      ...viewOf(room, true),
      involvement: memberships.involvementOf(room, caller.member)!,
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

  /**
   * Makes a room, with its creator and those whom they name in it.
   * @throws WorkspaceError `bad_request` for a name, text, type or member that cannot be
   */
  async create(caller: Caller, request: NewRoom): Promise<RoomView> {
    requireScope(caller, 'rooms:write')
    requirePerson(caller.member, 'make a room')
    const { clock, memberships, newId, projects, rooms } = this.deps
    const { name, type, description = '' } = request
    requireRoomName(name)
    requireRoomDescription(description)
    requireOneOf('type', type, roomTypes)
    const project =
      request.projectId === undefined ? null : projects.require(caller.member, request.projectId)
    const id = newId('room')
    const row = { id, name, type, description, projectId: project?.id ?? null, welcomesPeople: 0 as const }
    return this.commit(() => {
      const room = { ...row, slug: this.availableSlug(name, id), createdMs: clock.now() }
      const guests = (request.members ?? []).map((member) => this.requireInvitee(room, member))
      rooms.insert(room)
      for (const member of [caller.member, ...guests]) memberships.add(room, member)
      return viewOf(room, true)
    })
  }

  /** Renames or describes a room; a new name gives it a new slug. @throws WorkspaceError `bad_request` */
  async change(
    caller: Caller,
    idOrSlug: string,
    changes: { name?: string; description?: string },
  ): Promise<RoomView> {
    requireScope(caller, 'rooms:write')
    return this.commit(() => {
      const room = this.deps.memberships.requireIn(caller.member, idOrSlug)
      requirePerson(caller.member, 'change a room')
      // The answer shows all of the room, what does not change too.
      requireScope(caller, 'rooms:read')
      const { name = room.name, description = room.description } = changes
      requireRoomName(name)
      requireRoomDescription(description)
      const slug = name === room.name ? room.slug : this.availableSlug(name, room.id)
      this.deps.rooms.update({ id: room.id, slug, name, description })
      if (slug !== room.slug) this.deps.rooms.putFormer(room.slug, room.id)
      return viewOf({ ...room, name, description }, true)
    })
  }

  /** Takes the caller into an open room; safe to repeat. */
  async join(caller: Caller, idOrSlug: string): Promise<{ joined: true; already: boolean }> {
    requireScope(caller, 'rooms:write')
    const { memberships } = this.deps
    return this.commit(() => {
      const room = memberships.require(idOrSlug)
      memberships.requireEntryToProject(room, caller.member)
      requireRoomEntry(room, memberships.isIn(room, caller.member))
      return { joined: true, already: !memberships.add(room, caller.member) }
    })
  }

  /** Takes the caller out of a room; safe to repeat. */
  async leave(caller: Caller, idOrSlug: string): Promise<{ joined: false }> {
    requireScope(caller, 'rooms:write')
    const { memberships, roomMembers, typing } = this.deps
    const { id } = memberships.require(idOrSlug)
    await this.commit(() => roomMembers.remove(id, caller.member.id))
    typing.end(id, caller.member.id)
    return { joined: false }
  }

  /**
   * A person in the room takes somebody else in, at once; safe to repeat.
   * @param memberId id, slug or exact name
   * @throws WorkspaceError `bad_request` for somebody who cannot be in it
   */
  async invite(caller: Caller, idOrSlug: string, memberId: string): Promise<{ joined: true }> {
    requireScope(caller, 'rooms:write')
    const { memberships } = this.deps
    return this.commit(() => {
      const room = memberships.requireIn(caller.member, idOrSlug)
      requirePerson(caller.member, 'invite somebody into a room')
      memberships.add(room, this.requireInvitee(room, memberId))
      return { joined: true }
    })
  }

  /** How much of the room the caller wants to hear of. @throws WorkspaceError `bad_request` for none of the choices */
  async setInvolvement(
    caller: Caller,
    idOrSlug: string,
    involvement: string,
  ): Promise<{ involvement: Involvement }> {
    requireScope(caller, 'rooms:write')
    return this.commit(() => {
      const room = this.deps.memberships.requireIn(caller.member, idOrSlug)
      requireOneOf('involvement', involvement, involvements)
      this.deps.roomMembers.setInvolvement(room.id, caller.member.id, involvement)
      return { involvement }
    })
  }

  /** A heartbeat of the caller, in a room that they are in or in none. Nothing of it reaches the disk. */
  heartbeat(caller: Caller, { roomId, client }: { roomId?: string; client?: string }): void {
    requireScope(caller, 'rooms:write')
    const room = roomId === undefined ? null : this.deps.memberships.requireIn(caller.member, roomId)
    this.deps.presence.beat(caller.member.id, { roomId: room?.id ?? null, client: client ?? null })
  }

  /** The rooms as files of the tree: those that the caller is in and the open ones that they can join. */
  files(caller: Caller): RoomListItem[] {
    return this.visibleTo(caller, true).map(({ room, joined }) => ({
      filename: transcriptName(room),
      name: room.name,
      joined,
      path: transcriptPath(room),
    }))
  }

  /**
   * What was said last in a room that the caller is in, or in one of its threads, as markdown.
   * @param filename slug or id, with or without `.md`
   * @param messageId of the message that began a thread, or of a reply in it; left out: the room itself
   * @returns the text, and the page where a person reads the same
   * @throws WorkspaceError `not_found` for a message that is not in the room
   */
  transcript(caller: Caller, filename: string, messageId?: string): { text: string; url: string } {
    requireScope(caller, 'rooms:read')
    const { members, memberships, messages, pageUrl } = this.deps
    const room = memberships.requireIn(caller.member, filename.replace(/\.md$/i, ''))
    const people = { authorOf: (id: string) => members.find(id)!.name, names: members.names() }
    if (messageId !== undefined) {
      return {
        text: threadTranscript(room, this.threadAt(room, messageId), people),
        url: pageUrl(messagePagePath(room, messageId)),
      }
    }
    const said = messages.inRoom(room.id, transcriptLength).toReversed()
    return { text: roomTranscript(room, said, people), url: pageUrl(roomPagePath(room)) }
  }

  /** The last replies of a thread; or, where the one that is meant is older than these, those from it on. */
  private threadAt(room: RoomRow, messageId: string) {
    const { messages } = this.deps
    const meant = messages.find(messageId)
    if (meant?.roomId !== room.id) {
      throw new WorkspaceError('not_found', `There is no message ${messageId} in this room.`)
    }
    const first = meant.threadId === null ? meant : messages.find(meant.threadId)!
    const last = messages.inThread(first.id, transcriptLength).toReversed()
    const isShown =
      meant.threadId === null || meant.deletedMs !== null || last.some(({ id }) => id === meant.id)
    const replies = isShown ? last : messages.inThreadFrom(first.id, transcriptLength, meant.place)
    return { id: first.id, first: first.deletedMs === null ? first : null, replies, count: first.replyCount }
  }

  /** Oldest first. */
  private visibleTo(caller: Caller, all: boolean): { room: RoomRow; joined: boolean }[] {
    requireScope(caller, 'rooms:read')
    const { memberships, rooms } = this.deps
    const { member } = caller
    const joined = rooms.joinedBy(member.id).map((room) => ({ room, joined: true }))
    const others = all ? rooms.openToJoin(member.id).map((room) => ({ room, joined: false })) : []
    return [...joined, ...others]
      .filter(({ room }) => memberships.mayEnterProjectOf(room, member))
      .toSorted((one, other) => byAge(one.room, other.room))
  }

  /** Whom a person wants to have in a room. */
  private requireInvitee(room: RoomRow, idOrSlugOrName: string): Member {
    const { members, memberships } = this.deps
    const member = members.resolve(idOrSlugOrName)
    if (!member) {
      throw new WorkspaceError('bad_request', `There is no member ${idOrSlugOrName}.`, {
        next: { step: 'list members' },
      })
    }
    memberships.requireGuest(room, member)
    return member
  }

  /** Within a commit, where nobody can take it in between. */
  private availableSlug(name: string, id: string): string {
    const { rooms } = this.deps
    return roomSlug(name, id, (slug) => (rooms.findBySlug(slug)?.id ?? id) !== id)
  }

  private commit<T>(write: () => T): Promise<T> {
    return commitOrUnavailable(this.deps.database, write)
  }
}

const viewOf = (room: RoomRow, joined: boolean): RoomView => ({
  _id: room.id,
  name: room.name,
  type: room.type,
  description: room.description,
  projectId: room.projectId,
  joined,
})

const byAge = (one: RoomRow, other: RoomRow): number =>
  one.createdMs - other.createdMs || (one.id < other.id ? -1 : 1)

function requireOneOf<T extends string>(
  field: string,
  value: string,
  choices: readonly T[],
): asserts value is T {
  if ((choices as readonly string[]).includes(value)) return
  throw new WorkspaceError('bad_request', `${field} must be one of ${choices.join(', ')}.`)
}
