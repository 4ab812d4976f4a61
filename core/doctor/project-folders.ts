import type { Tree } from '../../data/tree/index.ts'
import { markerName } from '../projects/folders.ts'
import type { Project } from '../projects/types.ts'
import type { Finding } from './types.ts'

/** Whether a project's folder is there and bears its marker. */
export const isPresent = (tree: Tree, { id, folder }: Project): boolean =>
  tree.read(`projects/${folder}/${markerName}`)?.bytes.toString().trim() === id

/** The projects whose folders are away. */
export function missingFolders(tree: Tree, projects: readonly Project[]): Finding[] {
  const away = projects.filter((project) => !isPresent(tree, project))
  return away.map(({ id, slug, folder }) => {
    const path = `projects/${folder}`
    return tree.look(path).kind === 'missing'
      ? {
          path,
          problem: `The folder of the project ${slug} is missing.`,
          mend: 'Bring it back, or mount the disk that it is on.',
        }
      : {
          path,
          problem: `The folder has no marker of the project ${slug}.`,
          mend: `Mount its disk, or write ${id} into ${path}/${markerName}.`,
        }
  })
}
