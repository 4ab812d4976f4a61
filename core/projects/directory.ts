import type { FormerSlugRow } from '../../data/tables/former-project-slugs.ts'
import type { ProjectMemberRow } from '../../data/tables/project-members.ts'
import type { Project, ProjectRole } from '../access/project.ts'

export interface ProjectDirectory {
  all: Project[]
  deleted: Project[]
  /** Includes deleted ones, for documents that refer to them. They have neither slug nor members. */
  byId: Map<string, Project>
  bySlug: Map<string, Project>
  byFormerSlug: Map<string, Project>
  /** By project id, then by member id in the order in which they joined. */
  roles: Map<string, Map<string, ProjectRole>>
}

export function projectDirectoryOf(
  rows: Project[],
  memberships: ProjectMemberRow[],
  formerSlugs: FormerSlugRow[],
): ProjectDirectory {
  const projects = rows.filter(({ deletedMs }) => deletedMs === null)
  const roles = new Map(projects.map((project) => [project.id, new Map<string, ProjectRole>()]))
  for (const { projectId, memberId, role } of memberships) roles.get(projectId)?.set(memberId, role)
  const byId = new Map(rows.map((project) => [project.id, project]))
  return {
    all: projects,
    deleted: rows.filter(({ deletedFolder }) => deletedFolder !== null),
    byId,
    bySlug: new Map(projects.map((project) => [project.slug, project])),
    byFormerSlug: new Map(
      formerSlugs.flatMap(({ slug, projectId }): [string, Project][] => {
        const project = byId.get(projectId)!
        return project.deletedMs === null ? [[slug, project]] : []
      }),
    ),
    roles,
  }
}
