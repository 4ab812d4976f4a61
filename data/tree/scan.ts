import { TimeSlice } from '../scheduling/time-slice.ts'
import { isIgnoredName } from './names.ts'
import type { FolderEntry, Tree } from './types.ts'

interface ScanOptions {
  pauseEveryMs?: number
  isExcluded?: (folder: string) => boolean
  /** Called for a folder that cannot be read: nothing is known of its contents. */
  onUnreadable?: (folder: string) => void
}

/** Depth first, names in order, in time slices. Lists links without following them. */
export async function scanFolders(
  tree: Tree,
  roots: string[],
  visit: (folder: string, entries: FolderEntry[]) => void,
  options: ScanOptions = {},
): Promise<void> {
  const pending = roots.toReversed()
  const slice = new TimeSlice(options.pauseEveryMs)

  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const found = tree.entries(folder)
    if (found === null) {
      if (tree.stat(folder).kind !== 'missing') options.onUnreadable?.(folder)
      continue
    }
    const entries: FolderEntry[] = []
    for (const entry of found) {
      if (!isIgnoredName(entry.name)) entries.push(entry)
      if (slice.isOver) await slice.pause()
    }
    visit(folder, entries)
    for (const { name, stat } of entries.toReversed()) {
      const path = `${folder}/${name}`
      if (stat.kind === 'skipped' && stat.reason === 'folder' && !options.isExcluded?.(path))
        pending.push(path)
    }
  }
}
