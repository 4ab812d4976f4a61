import type { Database } from '../../data/database.ts'
import { repositoriesPath } from '../../data/home.ts'
import { openGit } from '../../data/outbound/git.ts'
import { forgesTable } from '../../data/tables/forges.ts'
import type { Config } from '../config.ts'
import { ForgeSync, type ForgesDeps } from '../pulls/forge-sync.ts'
import { Pulls, type PullsDeps } from '../pulls/pulls.ts'
import { Repositories, type RepositoriesDeps } from './repositories.ts'

export type { Repositories } from './repositories.ts'
export type * from './types.ts'

type OpeningDeps = { database: Database } & Omit<ForgesDeps, 'forges'> &
  Omit<RepositoriesDeps, 'forges' | 'git'> &
  Omit<PullsDeps, 'forges'>

export async function openRepositories(
  deps: OpeningDeps,
  { home, config }: { home: string; config: Pick<Config, 'outbound' | 'repositories'> },
): Promise<{ repositories: Repositories; pulls: Pulls; stop: () => Promise<void> }> {
  const forges = new ForgeSync({ ...deps, forges: forgesTable(deps.database.connection) })
  const { allow } = config.outbound
  const git = openGit({ folder: repositoriesPath(home), home, roots: config.repositories.roots, allow })
  const repositories = new Repositories({ ...deps, forges, git })
  await repositories.start()
  return {
    repositories,
    pulls: new Pulls({ ...deps, forges }),
    async stop() {
      await forges.stop()
      await repositories.stop()
    },
  }
}
