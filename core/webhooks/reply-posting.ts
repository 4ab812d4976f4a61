import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import { WorkspaceError } from '../errors.ts'
import type { Members } from '../members/members.ts'
import type { Messages } from '../rooms/messages.ts'

/** The client that a reply names. */
const sentVia = 'webhook'

export interface ReplyPostingParts {
  messages: MessagesTable
  members: Members
  /** Where things are said. */
  talk: Pick<Messages, 'say'>
}

/** Posts what receivers answer to deliveries. */
export class ReplyPosting {
  private readonly parts: ReplyPostingParts

  constructor(parts: ReplyPostingParts) {
    this.parts = parts
  }

  /**
   * Says the reply to a message in its room, in the thread that it stands in, as the agent that was called; to be called
   * inside the commit that records the delivery, so that a delivery is replied to once. A reply that the agent could
   * not post itself is passed over: it has left, or the text is too long.
   * @returns the id of the message that the delivery was replied to with; null for none
   */
  post({ memberId, messageId, replyId }: DeliveryRow, body: string): string | null {
    if (replyId !== null || messageId === null) return replyId
    const { members, messages, talk } = this.parts
    const agent = members.find(memberId)!
    const { roomId, threadId } = messages.find(messageId)!
    if (agent.status !== 'active') return null
    try {
      return talk.say(agent, roomId, { body, sentVia, ...(threadId !== null && { threadId }) }).id
    } catch (error) {
      if (error instanceof WorkspaceError) return null
      throw error
    }
  }
}
