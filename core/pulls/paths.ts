import type { Project } from '../access/project.ts'

/** `/v1/fs/…`, percent-encoded. */
export const pullPath = ({ slug }: Pick<Project, 'slug'>, number: number): string =>
  `/v1/fs/projects/${encodeURIComponent(slug)}/pulls/${number}`

/** The page on which a person reads the same, without the base address. */
export const pullPagePath = ({ slug }: Pick<Project, 'slug'>, number: number): string =>
  `/projects/${encodeURIComponent(slug)}/pulls/${number}`
