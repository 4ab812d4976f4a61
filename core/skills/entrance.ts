import { requireScope } from '../access.ts'
import type { Caller } from '../members/types.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { Projects } from '../projects/projects.ts'
import type { Project } from '../projects/types.ts'
import type { PublishingParts } from './publishing.ts'

export interface Entrance extends PublishingParts {
  projects: Projects
  /** @throws WorkspaceError `unavailable` where the project's folder cannot be used */
  requireUsable: (project: Project, intent: 'read' | 'write') => void
  onProblem: (message: string, error?: unknown) => void
}

/**
 * The project whose skills a caller means: who may read it reads them, and who writes its documents writes them.
 * @throws WorkspaceError `forbidden`, `not_found`; `unavailable` where its folder cannot be used; `conflict` for a
 *   write where it is archived
 */
export function enter(parts: Entrance, caller: Caller, project: string, intent: 'read' | 'write'): Project {
  requireScope(caller, intent === 'read' ? 'projects:read' : 'documents:write')
  const entered = parts.projects.require(caller.member, project)
  if (intent === 'write') requireWritable(entered)
  parts.requireUsable(entered, intent)
  return entered
}
