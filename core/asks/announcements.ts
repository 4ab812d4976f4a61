import type { AskRow, NewAskRow } from '../../data/tables/asks.ts'
import type { Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import { askStepPath } from '../paths.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { MessageStore } from '../rooms/message-store.ts'

interface AnnouncementDeps {
  members: MemberStore
  memberships: Memberships
  messages: MessageStore
}

const maxExcerptLength = 2000

/** Posts messages about asks in a member's name, inside the commit that changes the ask. */
export class Announcements {
  constructor(private readonly deps: AnnouncementDeps) {}

  /** @throws WorkspaceError `bad_request` for a room of another project */
  announce(
    ask: Omit<NewAskRow, 'messageId'>,
    author: Member,
    roomId: string,
    sentVia?: string,
  ): { id: string; notified: string[] } {
    const room = this.deps.memberships.requireIn(author, roomId)
    if (room.projectId !== null && room.projectId !== ask.projectId) {
      throw new WorkspaceError(
        'bad_request',
        `The room ${room.name} belongs to another project. Announce the ask in a room of its own project, or of none.`,
      )
    }
    const body = [
      `**Ask:** ${ask.title}`,
      excerpt(ask.body),
      ask.options.map((option) => `- ${option}`).join('\n'),
      ask.assignees.length > 0 ? `For ${ask.assignees.map((id) => this.mention(id)).join(', ')}` : '',
      ask.kind === 'question'
        ? `A person answers it: \`POST ${askStepPath(ask.id, 'resolve')}\``
        : `Claim it: \`POST ${askStepPath(ask.id, 'claim')}\``,
    ]
    return this.deps.messages.postAs(author, room.id, { body: textOf(body), ...(sentVia && { sentVia }) })
  }

  /** Posts the result, unless the member has left the room. Returns the members whom that notifies. */
  replyToAnnouncement(ask: AskRow, author: Member): string[] {
    const { memberships, messages } = this.deps
    const message = ask.messageId && messages.find(ask.messageId)
    if (!message || message.deletedMs !== null) return []
    const room = memberships.find(message.roomId)
    if (!room || room.archivedMs !== null || !memberships.isIn(room, author)) return []
    const body = [
      `**Resolved**, ${this.mention(ask.createdBy)}`,
      ask.chosenOption ?? '',
      excerpt(ask.resolution ?? ''),
    ]
    return messages.postAs(author, message.roomId, { body: textOf(body), threadId: message.id }).notified
  }

  private mention(memberId: string): string {
    return `@[${this.deps.members.find(memberId)!.name}](${memberId})`
  }
}

const textOf = (parts: readonly string[]) => parts.filter((part) => part !== '').join('\n\n')

function excerpt(text: string): string {
  // A code point has at most two UTF-16 code units.
  const characters = [...text.slice(0, 2 * maxExcerptLength)]
  if (characters.length <= maxExcerptLength && text.length <= 2 * maxExcerptLength) return text
  return `${characters.slice(0, maxExcerptLength).join('')} …`
}
