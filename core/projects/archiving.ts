import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

/**
 * An archived project is read-only for interfaces. Edits on the disk are ingested nevertheless.
 * @throws WorkspaceError `conflict`, naming who can restore the project
 */
export function requireWritable(project: Project): void {
  if (project.archivedMs === null) return
  throw new WorkspaceError('conflict', `The project ${project.slug} is archived and read-only.`, {
    next: { step: 'reopen the project', projectId: project.id },
  })
}
