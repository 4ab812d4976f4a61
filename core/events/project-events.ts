import { hasScope } from '../access/permissions.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectJoinEvent } from '../projects/join-event.ts'
import type { EventPresenter } from './kinds.ts'

/** Members added to a project by an owner or admin from outside it. */
export const projectEvents = ({ members }: { members: MemberStore }): EventPresenter => ({
  visibilityFor({ projectId }, { caller, filter, projects }) {
    if (filter.documentId !== undefined || !projects.has(projectId!)) return null
    return hasScope(caller, 'projects:read') ? '' : null
  },
  json({ atMs, actorId, projectId, detail }) {
    const { memberId, role } = JSON.parse(detail) as ProjectJoinEvent['detail']
    const member = members.find(memberId)!
    const author = members.find(actorId!)!
    return JSON.stringify({
      type: 'project.join',
      ts: atMs,
      projectId,
      memberId,
      memberName: member.name,
      memberType: member.type,
      role,
      author: author.name,
      authorId: author.id,
      authorType: author.type,
    })
  },
})
