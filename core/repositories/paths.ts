import type { Project } from '../access/project.ts'

/** `/v1/fs/…`, every segment percent-encoded. @param path of a file in the repository */
export function repositoryPath({ slug }: Pick<Project, 'slug'>, dir: string, path?: string): string {
  const repository = `/v1/fs/projects/${encodeURIComponent(slug)}/library/repositories/${encodeURIComponent(dir)}`
  return path === undefined
    ? repository
    : `${repository}/${path.split('/').map(encodeURIComponent).join('/')}`
}
