import type { AskRow } from '../../data/tables/asks.ts'
import type { Member } from '../access/member.ts'
import { mayReadProject } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { requireAssigneeCount } from './ask-text.ts'

interface PeopleDeps {
  members: MemberStore
  projects: ProjectStore
}

const isActiveInProject = (member: Member, project: Project, { projects }: PeopleDeps) =>
  member.status === 'active' && mayReadProject(projects.roleOf(project, member))

export function claimHolder(ask: AskRow, project: Project, deps: PeopleDeps): Member | null {
  if (ask.state !== 'claimed') return null
  const holder = deps.members.find(ask.claimedBy!)!
  return isActiveInProject(holder, project, deps) ? holder : null
}

/** @throws WorkspaceError `bad_request` for one who is not an active member of the project */
export function requireAssignees(
  idsOrNames: readonly string[],
  project: Project,
  deps: PeopleDeps,
): string[] {
  requireAssigneeCount(idsOrNames)
  const ids = idsOrNames.map((idOrName) => {
    const member = deps.members.resolve(idOrName)
    if (member && isActiveInProject(member, project, deps)) return member.id
    throw new WorkspaceError(
      'bad_request',
      `${JSON.stringify(idOrName)} is no active member of the project ${project.slug}. ` +
        'Assignees are ids or names of those who are.',
    )
  })
  return [...new Set(ids)]
}
