import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { DocumentsTable } from '../../data/tables/documents.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { Members } from '../members/members.ts'
import type { Projects } from '../projects/projects.ts'
import type { Memberships } from '../rooms/memberships.ts'

export interface ReachParts {
  documents: DocumentsTable
  messages: MessagesTable
  members: Members
  memberships: Memberships
  projects: Projects
}

/** Whether an agent may still be told what a delivery holds: it is active and belongs there, and nothing was deleted. */
export function mayStillBeTold(
  { memberId, messageId, documentId }: Pick<DeliveryRow, 'memberId' | 'messageId' | 'documentId'>,
  { documents, members, memberships, messages, projects }: ReachParts,
): boolean {
  const agent = members.find(memberId)
  if (agent?.status !== 'active') return false
  if (messageId !== null) {
    const message = messages.find(messageId)!
    const room = memberships.find(message.roomId)!
    return message.deletedMs === null && memberships.isIn(room, agent)
  }
  const post = documents.find(documentId!)
  if (post?.kind !== 'post' || post.deletedMs !== null) return false
  const project = projects.find(post.projectId)
  return project !== null && projects.roleOf(project, agent) !== null
}
