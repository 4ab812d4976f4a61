import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { PublishingDeps } from './skill-publisher.ts'

type AccessDeps = Pick<PublishingDeps, 'projects' | 'requireThere'>

/**
 * The project whose skills a caller means: who may read it reads them, and who writes its documents writes them.
 * @throws WorkspaceError `forbidden`, `not_found`; `unavailable` where its folder cannot be used; `conflict` for a
 *   write where it is archived
 */
export function requireSkillProject(
  deps: AccessDeps,
  caller: Caller,
  project: string,
  intent: 'read' | 'write',
): Project {
  const entered = requireSkillAccess(deps, caller, project, intent)
  deps.requireThere(entered)
  return entered
}

/** The same without a look at the folder: within a commit, whether the right that there was still holds. */
export function requireSkillAccess(
  { projects }: Pick<AccessDeps, 'projects'>,
  caller: Caller,
  project: string,
  intent: 'read' | 'write',
): Project {
  requireScope(caller, intent === 'read' ? 'projects:read' : 'documents:write')
  const entered = projects.require(caller.member, project)
  if (intent === 'write') requireWritable(entered)
  return entered
}
