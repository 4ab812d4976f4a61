import type { Database } from '../../data/database.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { PinnedMessagesTable } from '../../data/tables/pinned-messages.ts'
import type { ReactionsTable } from '../../data/tables/reactions.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import { authorOf, type Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Events } from '../events/events.ts'
import type { MemberStore } from '../members/member-store.ts'
import { requireUnarchived } from '../room-members/archiving.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock } from '../time/clock.ts'
import { messageView } from './message-view.ts'
import { requireMessageIn } from './require-message.ts'
import type { PinView } from './types.ts'

interface PinsDeps {
  database: Database
  clock: Pick<Clock, 'now'>
  events: Pick<Events, 'append'>
  members: Pick<MemberStore, 'find'>
  memberships: Memberships
  messages: MessagesTable
  pinnedMessages: PinnedMessagesTable
  reactions: ReactionsTable
}

/** `docs/interface.md#limits` */
const maxPins = 50

/** Pins notify nobody. Throws as `Messages` does. */
export class Pins {
  constructor(private readonly deps: PinsDeps) {}

  /** The last pinned first. */
  list(caller: Caller, idOrSlug: string): PinView[] {
    requireScope(caller, 'rooms:read')
    const { members, memberships, messages, pinnedMessages } = this.deps
    const room = memberships.requireIn(caller.member, idOrSlug)
    return pinnedMessages.inRoom(room.id).map(({ messageId, pinnedBy, atMs }) => ({
      message: messageView(messages.find(messageId)!, this.deps),
      pinnedBy: authorOf(members.find(pinnedBy)!),
      pinnedAt: atMs,
    }))
  }

  /** Idempotent. @throws WorkspaceError `bad_request` for a deleted message, and for one too many */
  add(caller: Caller, idOrSlug: string, messageId: string): Promise<void> {
    return this.change(caller, idOrSlug, messageId, true)
  }

  /** Idempotent. */
  remove(caller: Caller, idOrSlug: string, messageId: string): Promise<void> {
    return this.change(caller, idOrSlug, messageId, false)
  }

  private change(caller: Caller, idOrSlug: string, messageId: string, isPinned: boolean): Promise<void> {
    requireScope(caller, 'rooms:write')
    const { clock, database, events, memberships, messages, pinnedMessages } = this.deps
    const { id: memberId } = caller.member
    return commitOrUnavailable(database, () => {
      const room = memberships.requireIn(caller.member, idOrSlug)
      requireUnarchived(room)
      const { deletedMs } = requireMessageIn(room, messageId, messages)
      if (pinnedMessages.includes(messageId) === isPinned) return
      if (isPinned) {
        if (deletedMs !== null) throw new WorkspaceError('bad_request', 'This message was deleted.')
        this.requireCapacity(room)
        pinnedMessages.add({ messageId, roomId: room.id, pinnedBy: memberId, atMs: clock.now() })
      } else {
        pinnedMessages.remove(messageId)
      }
      const detail = { removed: !isPinned }
      events.append({ type: 'message.pin', roomId: room.id, messageId, actorId: memberId, detail })
    })
  }

  private requireCapacity({ id, name }: RoomRow): void {
    if (this.deps.pinnedMessages.count(id) < maxPins) return
    throw new WorkspaceError(
      'bad_request',
      `${name} has ${maxPins} pinned messages, which is the maximum. Unpin one first.`,
    )
  }
}
