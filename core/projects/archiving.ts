import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

/**
 * What an archived project holds can be read, and nothing of it be written through an interface. The disk is the truth:
 * what a person changes there is taken in nevertheless.
 * @throws WorkspaceError `conflict`, saying who can open the project again
 */
export function requireWritable(project: Project): void {
  if (project.archivedMs === null) return
  throw new WorkspaceError(
    'conflict',
    `The project ${project.slug} is archived: it can be read, not written.`,
    { next: { step: 'reopen the project', projectId: project.id } },
  )
}
