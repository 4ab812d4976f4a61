import { readFileSync } from 'node:fs'
import { errnoOf } from './disk-errors.ts'
import { DiskError } from './types.ts'

export function watchProblem(error: unknown, toRelative: (absolute: string) => string): string {
  const errno = errnoOf(error)
  if (errno === 'ENOSPC') {
    return `The system's limit of watched folders is reached; raise it: ${sysctlCommand('max_user_watches', 1_048_576)}`
  }
  if (errno === 'EMFILE' || errno === 'ENFILE') {
    return `The system's limit of watchers or of open files is reached; raise it: ${sysctlCommand('max_user_instances', 1024)}, or ulimit -n`
  }
  const path = (error as NodeJS.ErrnoException).path
  const folder = path === undefined ? 'A folder' : toRelative(path)
  if (errno === 'EACCES' || errno === 'EPERM') {
    return `${folder} may not be read by the server; let it: chmod a+rx '${folder}'`
  }
  return `${folder} cannot be watched: ${errno ?? String(error)}`
}

export function probeProblem(error: unknown, folder: string): string {
  switch (errnoOf(error) ?? (error instanceof DiskError ? error.errno : null)) {
    case 'ENOENT':
      return `There is no folder ${folder}`
    case 'ENOTDIR':
      return `${folder} is no folder of its own: a link is not followed`
    case 'EACCES':
    case 'EPERM':
      return `The server may not write in ${folder}; let it: chmod u+rwx ${folder}`
    case 'EROFS':
      return `The disk of ${folder} is mounted read-only, so that it cannot be seen whether it sends events`
    default:
      return `The self-test of the watcher failed: ${(error as Error).message}`
  }
}

function sysctlCommand(limit: string, usual: number): string {
  return `sysctl fs.inotify.${limit}=${Math.max(usual, 2 * currentLimit(limit))}`
}

function currentLimit(limit: string): number {
  try {
    return Number.parseInt(readFileSync(`/proc/sys/fs/inotify/${limit}`, 'utf8'), 10) || 0
  } catch (error) {
    // Other systems have no such file.
    if (errnoOf(error) === null) throw error
    return 0
  }
}
