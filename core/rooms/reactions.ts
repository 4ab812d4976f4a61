import { nameToEmoji } from 'gemoji'
import type { Database } from '../../data/database.ts'
import type { MessageRow, MessagesTable } from '../../data/tables/messages.ts'
import type { ReactionsTable } from '../../data/tables/reactions.ts'
import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Events } from '../events/events.ts'
import type { MemberStore } from '../members/member-store.ts'
import { requireUnarchived } from '../room-members/archiving.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock } from '../time/clock.ts'
import { reactionsOf } from './message-view.ts'
import { requireMessageIn } from './require-message.ts'
import type { ReactionView } from './types.ts'

interface ReactionsDeps {
  database: Database
  clock: Pick<Clock, 'now'>
  events: Pick<Events, 'append'>
  members: Pick<MemberStore, 'find'>
  memberships: Memberships
  messages: MessagesTable
  reactions: ReactionsTable
}

/** For one message (`docs/interface.md#limits`). */
const maxEmojis = 20

/** Reactions notify nobody. Throws as `Messages` does. */
export class Reactions {
  constructor(private readonly deps: ReactionsDeps) {}

  /** Idempotent. Returns all reactions to the message. */
  add(caller: Caller, room: string, messageId: string, emoji: string): Promise<ReactionView[]> {
    return this.change(caller, room, messageId, emoji, true)
  }

  /** Idempotent. Returns all reactions to the message. */
  remove(caller: Caller, room: string, messageId: string, emoji: string): Promise<ReactionView[]> {
    return this.change(caller, room, messageId, emoji, false)
  }

  toggle(caller: Caller, room: string, messageId: string, emoji: string): Promise<ReactionView[]> {
    return this.change(caller, room, messageId, emoji, null)
  }

  /** @param isAdded null toggles the reaction */
  private change(
    caller: Caller,
    idOrSlug: string,
    messageId: string,
    input: string,
    isAdded: boolean | null,
  ): Promise<ReactionView[]> {
    requireScope(caller, 'rooms:write')
    const { database, memberships, messages, reactions } = this.deps
    return commitOrUnavailable(database, () => {
      const room = memberships.requireIn(caller.member, idOrSlug)
      requireUnarchived(room)
      const message = requireMessageIn(room, messageId, messages)
      if (message.deletedMs !== null) throw new WorkspaceError('bad_request', 'This message was deleted.')
      const emoji = requireEmoji(input)
      const exists = reactions
        .of(message.id)
        .some((one) => one.emoji === emoji && one.memberId === caller.member.id)
      if (exists !== (isAdded ?? !exists)) this.set(message, caller.member.id, emoji, !exists)
      return reactionsOf(message.id, this.deps)
    })
  }

  private set(
    { id: messageId, roomId }: MessageRow,
    memberId: string,
    emoji: string,
    isAdded: boolean,
  ): void {
    const { clock, events, reactions } = this.deps
    if (isAdded) {
      this.requireCapacity(messageId, emoji)
      reactions.add({ messageId, roomId, memberId, emoji, atMs: clock.now() })
    } else {
      reactions.remove(messageId, emoji, memberId)
    }
    const detail = { emoji, removed: !isAdded }
    events.append({ type: 'message.reaction', roomId, messageId, actorId: memberId, detail })
  }

  private requireCapacity(messageId: string, emoji: string): void {
    const emojis = new Set(this.deps.reactions.of(messageId).map((one) => one.emoji))
    if (emojis.has(emoji) || emojis.size < maxEmojis) return
    throw new WorkspaceError(
      'bad_request',
      `A message takes ${maxEmojis} different emoji at most. React with one of these: ${[...emojis].join(' ')}`,
    )
  }
}

const emojiExpression = '\\p{RGI_Emoji}'
const emojiPattern = new RegExp(`^${emojiExpression}$`, 'v')
const namePattern = /^:([a-z0-9_+-]{1,40}):$/i
const maxEmojiLength = 60

/** Accepts an emoji or its `:name:`. Unifies forms that differ in an invisible variation selector. */
function requireEmoji(input: string): string {
  const emoji = namedEmoji(input) ?? input
  if (emoji.length <= maxEmojiLength) {
    const qualified = [emoji, `${emoji}\ufe0f`].find((form) => emojiPattern.test(form))
    if (qualified !== undefined) return qualified
  }
  throw new WorkspaceError(
    'bad_request',
    `${JSON.stringify(input.slice(0, 40))} is not an emoji. Send one emoji, such as 👍, or its name, such as :+1:.`,
  )
}

function namedEmoji(input: string): string | undefined {
  const name = namePattern.exec(input)?.[1]?.toLowerCase()
  return name !== undefined && Object.hasOwn(nameToEmoji, name) ? nameToEmoji[name] : undefined
}
