import { isIgnoredName, type Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import { containsMarkdown } from '../documents/storage/project-roots.ts'
import { isProjectId, markerName } from '../projects/project-folders.ts'
import type { DoctorContext, Finding } from './types.ts'

export const isMounted = (tree: Tree, { id, folder }: Project): boolean =>
  tree.read(`projects/${folder}/${markerName}`)?.bytes.toString().trim() === id

export function missingProjectFindings(tree: Tree, projects: readonly Project[]): Finding[] {
  const missing = projects.filter((project) => !isMounted(tree, project))
  return missing.map(({ id, slug, folder }) => {
    const path = `projects/${folder}`
    return tree.stat(path).kind === 'missing'
      ? {
          path,
          problem: `The folder of the project ${slug} is missing.`,
          mend: 'Restore it, or mount the disk that it is on.',
        }
      : {
          path,
          problem: `The folder has no marker of the project ${slug}.`,
          mend: `Mount its disk, or write ${id} into ${path}/${markerName}.`,
        }
  })
}

export function unknownProjectFindings({ tree, projects }: DoctorContext): Finding[] {
  const knownFolders = new Set(projects.all().map(({ folder }) => folder))
  return (tree.list('projects') ?? []).flatMap(({ name, stat }) => {
    const path = `projects/${name}`
    if (stat.kind !== 'skipped' || stat.reason !== 'folder' || isIgnoredName(name) || knownFolders.has(name))
      return []
    const marker = tree.read(`${path}/${markerName}`)?.bytes.toString().trim() ?? ''
    // Renamed while no server ran: reported as a missing folder.
    if (projects.find(marker)) return []
    if (!isProjectId(marker) && !containsMarkdown(tree, path)) return []
    return [
      {
        path,
        problem: 'The database does not know this project.',
        mend: 'Start the server; it imports the folder as a project.',
      },
    ]
  })
}
