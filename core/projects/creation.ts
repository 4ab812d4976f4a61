import type { Tree } from '../../data/tree/index.ts'
import type { Member } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { writeUnavailableError } from '../errors/unavailable.ts'
import { createProjectFolders, readmeText } from './project-folders.ts'
import type { ProjectStore } from './project-store.ts'

/** Durable. @throws WorkspaceError as `ProjectStore.add`, or `unavailable`; then there is no project */
export async function createProject(
  { projects, tree }: { projects: ProjectStore; tree: Tree },
  request: { name: string; slug?: string; lead: Member | null },
): Promise<Project> {
  // The row first, because a running server would adopt an unknown folder as a project.
  const project = await projects.add(request)
  try {
    await createProjectFolders(tree, project, { readme: readmeText(project.name) })
    return project
  } catch (error) {
    await projects.removeUnused(project)
    throw writeUnavailableError(error)
  }
}
