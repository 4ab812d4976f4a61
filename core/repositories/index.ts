import { repositoriesPath } from '../../data/home.ts'
import { openGit } from '../../data/outbound/git.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import { forgesTable } from '../../data/tables/forges.ts'
import type { PullRequestsTable } from '../../data/tables/pull-requests.ts'
import type { Config } from '../config.ts'
import type { Parts } from '../documents/parts.ts'
import { Forges } from '../pulls/forges.ts'
import { Pulls } from '../pulls/pulls.ts'
import { Repositories } from './repositories.ts'

export type { Repositories } from './repositories.ts'
export type * from './types.ts'

/**
 * Opens the code repositories of a workspace and their pull requests, and goes on refreshing them.
 * @returns `stop` ends what is under way
 */
export async function openRepositories(
  parts: Parts & { pullRequests: PullRequestsTable; outbound: Outbound },
  { home, config }: { home: string; config: Pick<Config, 'outbound' | 'repositories'> },
): Promise<{ repositories: Repositories; pulls: Pulls; stop: () => Promise<void> }> {
  const forges = new Forges({ ...parts, forges: forgesTable(parts.database.connection) })
  const { allow } = config.outbound
  const git = openGit({ folder: repositoriesPath(home), home, roots: config.repositories.roots, allow })
  const repositories = new Repositories({ ...parts, forges, git })
  await repositories.start()
  return {
    repositories,
    pulls: new Pulls({ ...parts, forges }),
    async stop() {
      await forges.stop()
      await repositories.stop()
    },
  }
}
