import type { Database } from '../../data/database.ts'
import type { Caller } from '../access/member.ts'
import { isAdmin, requireAuthorship, requireDeletion, requireScope } from '../access/permissions.ts'
import { type IdempotencyKeys, requireIdempotencyKey } from '../concurrency/idempotency-keys.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import type { Unreached } from '../inbox/unreached.ts'
import { requireUnarchived } from '../room-members/archiving.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { MessageStore } from './message-store.ts'
import type { MessagePage, MessagePageRequest, NewMessage } from './types.ts'
import type { TypingSignals } from './typing.ts'

interface MessagesDeps {
  database: Database
  messages: MessageStore
  memberships: Memberships
  idempotencyKeys: IdempotencyKeys
  typing: TypingSignals
}

/** Throws WorkspaceError `not_found`; `forbidden` outside the room; `conflict` in an archived one. */
export class Messages {
  constructor(private readonly deps: MessagesDeps) {}

  page(caller: Caller, idOrSlug: string, request: MessagePageRequest): MessagePage {
    requireScope(caller, 'rooms:read')
    const { memberships, messages } = this.deps
    return messages.page(memberships.requireIn(caller.member, idOrSlug), request)
  }

  async post(
    caller: Caller,
    idOrSlug: string,
    request: NewMessage,
  ): Promise<{ messageId: string; unreached: Unreached[] }> {
    requireScope(caller, 'rooms:write')
    const { idempotencyKeys, database, memberships, messages, typing } = this.deps
    const { member } = caller
    const key = request.idempotencyKey ?? null
    if (key !== null) requireIdempotencyKey(key)
    const { id, roomId } = await commitOrUnavailable(database, () =>
      idempotencyKeys.once(member.id, key, () =>
        messages.add(memberships.requireIn(member, idOrSlug), member.id, request),
      ),
    )
    typing.end(roomId, member.id)
    const room = memberships.require(roomId)
    return { messageId: id, unreached: messages.unreached(messages.require(room, id), room) }
  }

  unreached(caller: Caller, idOrSlug: string, body: string): Unreached[] {
    requireScope(caller, 'rooms:read')
    const room = this.deps.memberships.requireIn(caller.member, idOrSlug)
    return this.deps.messages.unreached({ body, authorId: caller.member.id }, room)
  }

  /** Returns the mentioned members who are not notified. */
  async edit(caller: Caller, idOrSlug: string, messageId: string, body: string): Promise<Unreached[]> {
    requireScope(caller, 'rooms:write')
    const { database, memberships, messages } = this.deps
    return commitOrUnavailable(database, () => {
      const room = memberships.requireIn(caller.member, idOrSlug)
      const message = messages.require(room, messageId)
      requireAuthorship(caller.member, message.authorId)
      return messages.edit(room, message, body)
    })
  }

  /** Idempotent. Authors who have left the room, and owners and admins outside it, may delete too. */
  async remove(caller: Caller, idOrSlug: string, messageId: string): Promise<void> {
    requireScope(caller, 'rooms:write')
    const { database, memberships, messages } = this.deps
    const { member } = caller
    await commitOrUnavailable(database, () => {
      const room = memberships.require(idOrSlug)
      // No other member outside the room may learn which messages exist in it.
      const mayHaveLeft = isAdmin(member) || messages.findIn(room, messageId)?.authorId === member.id
      if (!mayHaveLeft) memberships.requireIn(member, room.id)
      const message = messages.require(room, messageId)
      requireDeletion(member, message.authorId, 'message')
      requireUnarchived(room)
      messages.remove(message, member.id)
    })
  }
}
