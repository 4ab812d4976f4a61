import type { Watcher } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { Problem } from '../../health/types.ts'
import { pathInHome } from '../model/document-paths.ts'
import type { ProjectRoots } from '../storage/project-roots.ts'
import type { FolderScan } from './folder-scan.ts'
import type { MissingFiles } from './missing-files.ts'

interface DiskState {
  roots: Pick<ProjectRoots, 'problemOf'>
  folderScan: Pick<FolderScan, 'unreadableFolders'>
  missingFiles: Pick<MissingFiles, 'awaitingConfirmation'>
  watcher: Pick<Watcher, 'state'> | null
}

export function diskProblems(
  projects: Iterable<Project>,
  { roots, folderScan, missingFiles, watcher }: DiskState,
): Problem[] {
  const problems: Problem[] = []
  for (const project of projects) {
    const reason = roots.problemOf(project)
    if (reason) problems.push({ problem: `The project ${project.slug} cannot be used`, mend: reason })
    for (const folder of folderScan.unreadableFolders(project)) {
      const path = pathInHome(project, folder)
      problems.push({
        problem: `The folder ${path} cannot be read`,
        mend: `let the server read it: chmod u+rx '${path}'`,
      })
    }
    const unconfirmed = missingFiles.awaitingConfirmation(project.id)
    if (unconfirmed > 0) {
      problems.push({
        problem: `${unconfirmed} documents of the project ${project.slug} disappeared from the disk at once; they are not deleted until an owner confirms`,
        mend: `restore the files, or confirm with: workroom doctor --confirm-deletions ${project.slug}`,
      })
    }
  }
  const state = watcher?.state()
  if (state?.problem)
    problems.push({
      problem: 'The folders cannot be watched; they are scanned instead',
      mend: state.problem,
    })
  return problems
}
