import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { PublishingDeps } from './skill-publisher.ts'

type AccessDeps = Pick<PublishingDeps, 'projects' | 'requireMounted'>

/** @throws WorkspaceError `unavailable` if the folder cannot be used; `conflict` in an archived project */
export function requireSkillProject(
  deps: AccessDeps,
  caller: Caller,
  project: string,
  intent: 'read' | 'write',
): Project {
  const found = requireSkillAccess(deps, caller, project, intent)
  deps.requireMounted(found)
  return found
}

/** Does not check the folder, and so may be called inside a commit. */
export function requireSkillAccess(
  { projects }: Pick<AccessDeps, 'projects'>,
  caller: Caller,
  project: string,
  intent: 'read' | 'write',
): Project {
  requireScope(caller, intent === 'read' ? 'projects:read' : 'documents:write')
  const found = projects.require(caller.member, project)
  if (intent === 'write') requireWritable(found)
  return found
}
