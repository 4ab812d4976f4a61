import { hasScope } from '../access/permissions.ts'
import type { MemberStore } from '../members/member-store.ts'
import { skillTreePath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { SkillPublishEvent } from '../skills/publish-event.ts'
import type { EventPresenter } from './kinds.ts'

/** New versions of skills. A member sees their own as well. */
export const skillEvents = ({
  members,
  projects: store,
}: {
  members: MemberStore
  projects: ProjectStore
}): EventPresenter => ({
  visibilityFor({ projectId }, { caller, filter, projects }) {
    if (filter.documentId !== undefined || !projects.has(projectId!)) return null
    return hasScope(caller, 'projects:read') ? '' : null
  },
  json({ atMs, actorId, projectId, detail }) {
    const { name, version, isPublished } = JSON.parse(detail) as SkillPublishEvent['detail']
    const author = actorId === null ? null : members.find(actorId)!
    return JSON.stringify({
      type: 'skill.publish',
      ts: atMs,
      projectId,
      name,
      version,
      path: isPublished ? skillTreePath(store.find(projectId!)!, name) : null,
      ...(author && { author: author.name, authorId: author.id, authorType: author.type }),
    })
  },
})
