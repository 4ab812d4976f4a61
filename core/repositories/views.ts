import type { ForgeRow } from '../../data/tables/forges.ts'
import type { RepositoryRow } from '../../data/tables/repositories.ts'
import type { Project } from '../access/project.ts'
import { repositoriesTreePath } from '../paths.ts'
import type { RepositoryListItem, RepositoryView } from './types.ts'

export const repositoryView = (
  project: Project,
  row: RepositoryRow,
  forge: ForgeRow | undefined,
): RepositoryView => ({
  _id: row.id,
  dir: row.dir,
  name: row.name,
  source: row.source,
  defaultBranch: row.defaultBranch,
  commit: row.commitId,
  linkedBy: row.linkedBy,
  linkedAt: row.linkedMs,
  refreshedAt: row.refreshedMs,
  problem: row.problem,
  forge: forge?.repositoryId === row.id ? { api: forge.api, owner: forge.owner, name: forge.name } : null,
  path: repositoriesTreePath(project, row.dir),
})

export const repositoryListItem = (project: Project, row: RepositoryRow): RepositoryListItem => ({
  dir: row.dir,
  name: row.name,
  defaultBranch: row.defaultBranch,
  refreshedAt: row.refreshedMs,
  problem: row.problem,
  path: repositoriesTreePath(project, row.dir),
})
