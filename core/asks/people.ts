import type { AskRow } from '../../data/tables/asks.ts'
import type { Member } from '../access/member.ts'
import { mayEnterProject } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { requireFewAssignees } from './ask-text.ts'

export interface PeopleParts {
  members: MemberStore
  projects: ProjectStore
}

const isAtWork = (member: Member, project: Project, { projects }: PeopleParts) =>
  member.status === 'active' && mayEnterProject(projects.roleOf(project, member))

/** Who has claimed the ask; null: nobody, or one who was deactivated or has left the project, which ends a claim. */
export function holderOf(ask: AskRow, project: Project, parts: PeopleParts): Member | null {
  if (ask.state !== 'claimed') return null
  const holder = parts.members.find(ask.claimedBy!)!
  return isAtWork(holder, project, parts) ? holder : null
}

/**
 * The members whom an ask is for, each once.
 * @param who ids or names
 * @returns their ids
 * @throws WorkspaceError `bad_request`, naming who is no active member of the project
 */
export function assigneesOf(who: readonly string[], project: Project, parts: PeopleParts): string[] {
  requireFewAssignees(who)
  const ids = who.map((idOrName) => {
    const member = parts.members.resolve(idOrName)
    if (member && isAtWork(member, project, parts)) return member.id
    throw new WorkspaceError(
      'bad_request',
      `${JSON.stringify(idOrName)} is no active member of the project ${project.slug}. Assignees are ids or names of those who are.`,
    )
  })
  return [...new Set(ids)]
}
