import type { FileStamp, PathStat } from '../../../data/tree/index.ts'
import { MultiMap } from '../catalogue/multi-map.ts'

/** The files at queued paths, so that one that left its path is found at another. */
export class PendingFiles {
  private readonly paths = new MultiMap<number>()
  private readonly inodes = new Map<string, number>()

  put(path: string, stat: PathStat): void {
    const inode = stat.kind === 'file' ? stat.stamp.ino : undefined
    if (this.inodes.get(path) === inode) return
    this.remove(path)
    if (inode === undefined) return
    this.inodes.set(path, inode)
    this.paths.add(inode, path)
  }

  remove(path: string): void {
    const inode = this.inodes.get(path)
    if (inode === undefined) return
    this.inodes.delete(path)
    this.paths.remove(inode, path)
  }

  /** By inode number alone, which another file may have on another disk, or later. */
  pathsOf({ ino }: Pick<FileStamp, 'ino'>): Iterable<string> {
    return this.paths.get(ino)
  }
}
