import { TimeSlice } from '../time-slice.ts'
import { isIgnoredName } from './names.ts'
import type { FolderEntry, Tree } from './types.ts'

export interface ScanOptions {
  /** How long the scan runs before it lets others run. Default 4 ms. */
  pauseEveryMs?: number
  /** Whether a folder is not looked into, nor any below it. Default: none. */
  isExcluded?: (folder: string) => boolean
  /** Told of a folder that is there and cannot be read: nothing is known of what is in it, least of all that it is gone. */
  onUnreadable?: (folder: string) => void
}

/**
 * Walks folders depth first, names in order, in slices of a few milliseconds with the event loop running between
 * them. Litter is left out, links are among the entries and never followed.
 * @param roots folders relative to the home; one that is missing is not visited
 * @param visit called once for each folder, with its entries as they were during this walk; what it throws ends the scan
 */
export async function scanFolders(
  tree: Tree,
  roots: string[],
  visit: (folder: string, entries: FolderEntry[]) => void,
  options: ScanOptions = {},
): Promise<void> {
  const ahead = roots.toReversed()
  const slice = new TimeSlice(options.pauseEveryMs)

  for (let folder = ahead.pop(); folder !== undefined; folder = ahead.pop()) {
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
      if (stat.kind === 'odd' && stat.odd === 'folder' && !options.isExcluded?.(path)) ahead.push(path)
    }
  }
}
