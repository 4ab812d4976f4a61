import { setImmediate } from 'node:timers/promises'
import { isSafeName, type Tree } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { homePathAt, type MountLocation } from './mount-paths.ts'

/** Entries moved, copied or removed by one request. */
const maxEntries = 5000
const pauseEveryMs = 4

/** @throws WorkspaceError `forbidden` if too large, `conflict` for entries not shown, such as links */
export async function requireWholeFolder(tree: Tree, location: MountLocation): Promise<void> {
  const pending = [homePathAt(location)]
  let count = 0
  let pauseAtMs = performance.now() + pauseEveryMs
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const { name, stat } of tree.entries(folder) ?? []) {
      const isFolder = stat.kind === 'skipped' && stat.reason === 'folder'
      const isVisible =
        stat.kind === 'file' || isFolder || (stat.kind === 'skipped' && stat.reason === 'too_large')
      if (!isVisible || !isSafeName(name)) throw hiddenEntryError(location, name)
      if (++count > maxEntries) throw tooManyEntriesError(location)
      if (isFolder) pending.push(`${folder}/${name}`)
      if (performance.now() >= pauseAtMs) {
        await setImmediate()
        pauseAtMs = performance.now() + pauseEveryMs
      }
    }
  }
}

const hiddenEntryError = ({ path }: MountLocation, name: string) =>
  new WorkspaceError(
    'conflict',
    `The folder ${path} holds ${JSON.stringify(name)}, which is not visible here and would not be moved. Move the folder on the disk.`,
  )

const tooManyEntriesError = ({ path }: MountLocation) =>
  new WorkspaceError(
    'forbidden',
    `The folder ${path} holds more than ${maxEntries} files. Do this folder by folder, or on the disk.`,
  )
