import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

/** Archived projects are read-only for interfaces; edits on the disk are ingested. @throws WorkspaceError */
export function requireWritable(project: Project): void {
  if (project.archivedMs === null) return
  throw new WorkspaceError('conflict', `The project ${project.slug} is archived and read-only.`, {
    next: { step: 'reopen the project', projectId: project.id },
  })
}
