import type { PathStat, SkipReason } from '../../../data/tree/index.ts'

export interface Skipped {
  path: string
  reason: string
}

/** Each completes a message after a colon. */
export const skipReasons: Record<SkipReason, string> = {
  symlink: 'a symbolic link is never followed',
  folder: 'a folder, not a file',
  fifo: 'a FIFO, not a regular file',
  socket: 'a socket, not a regular file',
  device: 'a device, not a regular file',
  unreadable: 'it cannot be read; check its permissions and that its name is UTF-8',
  too_large: 'it is too large',
}

/** True also for a file that cannot be read, which is therefore not deleted. */
export const canStillExist = (stat: PathStat): boolean =>
  stat.kind === 'skipped' && (stat.reason === 'unreadable' || stat.reason === 'too_large')

export const isMissing = (stat: PathStat): boolean =>
  stat.kind === 'missing' || (stat.kind === 'skipped' && !canStillExist(stat))

export class SkippedFiles {
  private readonly found = new Map<string, Map<string, SkipReason>>()

  note(path: string, reason: SkipReason): void {
    const [folder, name] = split(path)
    const names = this.found.get(folder)
    if (names) names.set(name, reason)
    else this.found.set(folder, new Map([[name, reason]]))
  }

  clear(path: string): void {
    const [folder, name] = split(path)
    const names = this.found.get(folder)
    if (names?.delete(name) && names.size === 0) this.found.delete(folder)
  }

  replace(folder: string, names: Map<string, SkipReason>): void {
    if (names.size > 0) this.found.set(folder, names)
    else this.found.delete(folder)
  }

  unreadableReason(path: string): string | null {
    const [folder, name] = split(path)
    const reason = this.found.get(folder)?.get(name)
    return reason !== undefined && canStillExist({ kind: 'skipped', reason }) ? skipReasons[reason] : null
  }

  skipped(): Skipped[] {
    return [...this.found].flatMap(([folder, names]) =>
      [...names].map(([name, reason]) => ({ path: `${folder}/${name}`, reason: skipReasons[reason] })),
    )
  }
}

function split(path: string): [folder: string, name: string] {
  const end = path.lastIndexOf('/')
  return [path.slice(0, end), path.slice(end + 1)]
}
