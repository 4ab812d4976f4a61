import { type FolderEntry, scanFolders, type Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import { pathInHome } from '../documents/model/document-paths.ts'

/** The count of a project stops here. */
const maxFiles = 20_000

const folders = ['files', 'attachments']

const countLimitReached = Symbol('enough')

export async function uploadedSize(
  tree: Tree,
  project: Pick<Project, 'folder'>,
): Promise<{ count: number; bytes: number; isCut: boolean }> {
  let count = 0
  let bytes = 0
  const addUp = (_folder: string, entries: FolderEntry[]) => {
    for (const { stat } of entries) {
      if (stat.kind !== 'file') continue
      if (count === maxFiles) throw countLimitReached
      count += 1
      bytes += stat.stamp.size
    }
  }
  const roots = folders.map((folder) => pathInHome(project, folder))
  const isCut = await scanFolders(tree, roots, addUp).then(
    () => false,
    (error) => {
      if (error === countLimitReached) return true
      throw error
    },
  )
  return { count, bytes, isCut }
}
