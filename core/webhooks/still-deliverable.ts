import type { CommentsTable } from '../../data/tables/comments.ts'
import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { DocumentsTable } from '../../data/tables/documents.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'

export interface ReachDeps {
  comments: CommentsTable
  documents: DocumentsTable
  messages: MessagesTable
  members: MemberStore
  memberships: Memberships
  projects: ProjectStore
}

/** Whether a delivery may still be sent: the agent is active and a member there, and nothing was deleted. */
export function isStillDeliverable(
  {
    memberId,
    messageId,
    documentId,
    commentId,
  }: Pick<DeliveryRow, 'memberId' | 'messageId' | 'documentId' | 'commentId'>,
  { comments, documents, members, memberships, messages, projects }: ReachDeps,
): boolean {
  const agent = members.find(memberId)
  if (agent?.status !== 'active') return false
  if (messageId !== null) {
    const message = messages.find(messageId)!
    const room = memberships.find(message.roomId)!
    return message.deletedMs === null && memberships.isIn(room, agent)
  }
  const comment = commentId === null ? null : comments.find(commentId)!
  if (comment && comment.deletedMs !== null) return false
  const post = documents.find(comment?.postId ?? documentId!)
  if (!post || post.deletedMs !== null || (comment === null && post.kind !== 'post')) return false
  const project = projects.find(post.projectId)
  return project !== null && projects.roleOf(project, agent) !== null
}
