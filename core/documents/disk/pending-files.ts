import type { FileStamp, PathStat } from '../../../data/tree/index.ts'

export class PendingFiles {
  private readonly paths = new Map<string, Set<string>>()
  private readonly keys = new Map<string, string>()

  put(path: string, stat: PathStat): void {
    const key = stat.kind === 'file' ? keyOf(stat.stamp) : null
    if (this.keys.get(path) === key) return
    this.remove(path)
    if (key === null) return
    this.keys.set(path, key)
    const paths = this.paths.get(key)
    if (paths) paths.add(path)
    else this.paths.set(key, new Set([path]))
  }

  remove(path: string): void {
    const key = this.keys.get(path)
    if (key === undefined) return
    this.keys.delete(path)
    const paths = this.paths.get(key)!
    paths.delete(path)
    if (paths.size === 0) this.paths.delete(key)
  }

  pathsOf(stamp: FileStamp): Iterable<string> {
    return this.paths.get(keyOf(stamp)) ?? []
  }
}

const keyOf = ({ dev, ino, birthtimeMs }: FileStamp) => `${dev}:${ino}:${birthtimeMs}`
