import { repositoriesTable } from '../../data/tables/repositories.ts'
import { systemClock } from '../time/clock.ts'
import type { DoctorContext, Finding } from './types.ts'

export function mirrorFindings({ database, tree }: DoctorContext): Finding[] {
  const repositories = repositoriesTable(database.connection)
  const missing = repositories
    .ids()
    .map((id) => ({ repository: repositories.get(id)!, path: `.workroom/repositories/${id}.git` }))
    .filter(({ repository, path }) => {
      const stat = tree.stat(path)
      return repository.dueMs > systemClock.now() && !(stat.kind === 'skipped' && stat.reason === 'folder')
    })
  return missing.map(({ repository, path }) => ({
    path,
    problem: `The mirror of the repository ${repository.dir} is missing.`,
    mend: 'Start the server: the mirror is fetched again when it is read or due.',
  }))
}
