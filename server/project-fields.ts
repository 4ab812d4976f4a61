import { z } from 'zod'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { ProjectStore } from '../core/projects/project-store.ts'

export const projectFields = {
  project: z.string().nullable().optional(),
  projectId: z.string().nullable().optional(),
}

export const projectParameter = z.string().describe('A project, by its slug or id').optional()

interface NamedProject {
  project: string | null | undefined
  projectId: string | null | undefined
}

/** @throws WorkspaceError `bad_request` where the body names two projects, or none */
export function requireProjectField(
  { project, projectId }: NamedProject,
  projects: Pick<ProjectStore, 'find'>,
): string {
  const requested = optionalProject({ project, projectId }, projects)
  if (requested !== undefined) return requested
  throw new WorkspaceError(
    'bad_request',
    'The body must contain the field projectId or project, a slug or an id.',
  )
}

export function optionalProject(
  { project, projectId }: NamedProject,
  projects: Pick<ProjectStore, 'find'>,
): string | undefined {
  const requested = project ?? projectId ?? undefined
  if (typeof project !== 'string' || typeof projectId !== 'string' || project === projectId) return requested
  const found = projects.find(project)
  if (found && found === projects.find(projectId)) return requested
  throw new WorkspaceError(
    'bad_request',
    'The fields project and projectId name two projects. Send one of them.',
  )
}
