import type { AskRow, NewAskRow } from '../../data/tables/asks.ts'
import type { MessageRow, MessagesTable } from '../../data/tables/messages.ts'
import type { Caller, Member } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import { askStepPath } from '../paths.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Messages } from '../rooms/messages.ts'

interface AnnouncementDeps {
  members: MemberStore
  memberships: Memberships
  messages: MessagesTable
  talk: Messages
}

/** How much of an ask's text is said in a room, in characters (code points). */
const maxExcerptLength = 2000

/**
 * What is said of asks in rooms, in the name of who does it, so that those who are meant are told as by any message. All of
 * it is to be called inside the commit that changes the ask.
 */
export class Announcements {
  private readonly deps: AnnouncementDeps

  constructor(deps: AnnouncementDeps) {
    this.deps = deps
  }

  /**
   * Says in a room that an ask was raised.
   * @returns the message's id
   * @throws WorkspaceError `not_found` or `forbidden` for the room, `bad_request` where it belongs to another project
   */
  announce(ask: Omit<NewAskRow, 'messageId'>, author: Member, roomId: string, sentVia?: string): string {
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
    const said = { body: body.filter((part) => part !== '').join('\n\n'), ...(sentVia && { sentVia }) }
    return this.deps.talk.postAs(author, room.id, said).id
  }

  /** Answers the announcement, where there is one and the caller may: whoever waits is told how the ask was resolved. */
  replyToAnnouncement(ask: AskRow, caller: Caller): void {
    const message = ask.messageId === null ? undefined : this.deps.messages.find(ask.messageId)
    if (!message || message.deletedMs !== null || !this.canPost(caller, message)) return
    const body = [
      `**Resolved**, ${this.mention(ask.createdBy)}`,
      ask.chosenOption ?? '',
      excerpt(ask.resolution ?? ''),
    ]
    this.deps.talk.postAs(caller.member, message.roomId, {
      body: body.filter((part) => part !== '').join('\n\n'),
      threadId: message.id,
    })
  }

  private canPost(caller: Caller, { roomId }: MessageRow): boolean {
    const { memberships } = this.deps
    return hasScope(caller, 'rooms:write') && memberships.isIn(memberships.require(roomId), caller.member)
  }

  private mention(memberId: string): string {
    return `@[${this.deps.members.find(memberId)!.name}](${memberId})`
  }
}

function excerpt(text: string): string {
  // A character has two UTF-16 code units at the most.
  const characters = [...text.slice(0, 2 * maxExcerptLength)]
  if (characters.length <= maxExcerptLength && text.length <= 2 * maxExcerptLength) return text
  return `${characters.slice(0, maxExcerptLength).join('')} …`
}
