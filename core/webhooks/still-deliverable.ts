import type { AsksTable } from '../../data/tables/asks.ts'
import type { CommentsTable } from '../../data/tables/comments.ts'
import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { DocumentsTable } from '../../data/tables/documents.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'

export interface StillDeliverableDeps {
  asks: AsksTable
  comments: CommentsTable
  documents: DocumentsTable
  messages: MessagesTable
  members: MemberStore
  memberships: Memberships
  projects: ProjectStore
}

/** False if the agent is deactivated or has left the place, or anything was deleted. */
export function isStillDeliverable(
  {
    memberId,
    messageId,
    documentId,
    commentId,
    askId,
  }: Pick<DeliveryRow, 'memberId' | 'messageId' | 'documentId' | 'commentId' | 'askId'>,
  { asks, comments, documents, members, memberships, messages, projects }: StillDeliverableDeps,
): boolean {
  const agent = members.find(memberId)
  if (agent?.status !== 'active') return false
  if (messageId !== null) {
    const message = messages.find(messageId)!
    const room = memberships.find(message.roomId)
    return room !== null && message.deletedMs === null && memberships.isIn(room, agent)
  }
  const mayRead = (projectId: string): boolean => {
    const project = projects.find(projectId)
    return project !== null && projects.roleOf(project, agent) !== null
  }
  if (askId !== null) {
    const ask = asks.find(askId)!
    const isOpen = ask.state === 'open' || ask.state === 'claimed'
    return isOpen && ask.assignees.includes(memberId) && mayRead(ask.projectId)
  }
  const comment = commentId === null ? null : comments.find(commentId)!
  if (comment && comment.deletedMs !== null) return false
  const post = documents.find(comment?.postId ?? documentId!)
  const hasDeliveries = comment !== null || post?.kind === 'post' || post?.kind === 'card'
  return post !== undefined && post.deletedMs === null && hasDeliveries && mayRead(post.projectId)
}
