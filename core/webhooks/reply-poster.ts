import type { AsksTable } from '../../data/tables/asks.ts'
import type { CommentsTable } from '../../data/tables/comments.ts'
import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { PostsAs } from './post-as.ts'

const sentVia = 'webhook'

export interface ReplyPostingDeps {
  asks: AsksTable
  messages: MessagesTable
  comments: CommentsTable
  members: MemberStore
  messageStore: PostsAs<{ body: string; sentVia: string; threadId?: string }>
  commentStore: PostsAs<{ body: string; parentId?: string | null }>
}

export class ReplyPoster {
  constructor(private readonly deps: ReplyPostingDeps) {}

  /**
   * Must be called inside the commit that records the delivery, so that the reply is posted once. A reply
   * that the agent could not post itself is dropped. Returns the id of the message or comment.
   */
  post(delivery: DeliveryRow, body: string): string | null {
    if (delivery.replyId !== null) return delivery.replyId
    const agent = this.deps.members.find(delivery.memberId)!
    if (agent.status !== 'active') return null
    try {
      return this.postReply(agent, delivery, body)?.id ?? null
    } catch (error) {
      if (error instanceof WorkspaceError) return null
      throw error
    }
  }

  /** Replies in the same thread; for an ask, below its announcement. */
  private postReply(
    agent: Member,
    { messageId, commentId, documentId, askId }: DeliveryRow,
    body: string,
  ): { id: string } | null {
    const { asks, comments, commentStore, messages, messageStore } = this.deps
    if (askId !== null) {
      const announcementId = asks.find(askId)!.messageId
      if (announcementId === null) return null
      const { id, roomId, threadId } = messages.find(announcementId)!
      return messageStore.postAs(agent, roomId, { body, sentVia, threadId: threadId ?? id })
    }
    if (messageId !== null) {
      const { roomId, threadId } = messages.find(messageId)!
      return messageStore.postAs(agent, roomId, { body, sentVia, ...(threadId !== null && { threadId }) })
    }
    if (commentId === null) return commentStore.postAs(agent, documentId!, { body })
    const { id, parentId, postId } = comments.find(commentId)!
    return commentStore.postAs(agent, postId, { body, parentId: parentId ?? id })
  }
}
