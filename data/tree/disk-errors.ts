import { constants } from 'node:os'
import { posix } from 'node:path'
import { DiskError } from './types.ts'

/** Completes a sentence: "plan.md could not be written". */
type DiskOperation = 'written' | 'read' | 'moved' | 'removed' | 'made durable'

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is mounted read-only',
  EIO: 'the disk reports an input/output error',
  EMFILE: 'the server has too many files open',
  ENFILE: 'the machine has too many files open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it is not there',
  EEXIST: 'the path is occupied',
  ENOTDIR: 'part of the path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a symbolic link',
  EXDEV: 'it lies on another file system than .workroom/tmp',
  EFBIG: 'it is too large',
  EINVAL: 'it is no regular file',
  EBUSY: 'it is in use',
  ESTALE: 'the network file system has lost it',
}

/** The system's name of a failure (`ENOSPC`); null for other errors. */
export function errnoOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (typeof code !== 'string') return null
  if (/^E[A-Z0-9]+$/.test(code)) return code
  if (code === 'UNKNOWN') return 'EIO'
  const unknown = /^Unknown system error -(\d+)$/.exec(code)
  return unknown ? (errnoNames.get(Number(unknown[1])) ?? 'EIO') : null
}

/** Node calls errors that it has no name for, such as an exhausted disk quota, by number. */
const errnoNames = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]))

/** @throws errors of another kind */
export function toDiskError(error: unknown, operation: DiskOperation, path: string): DiskError {
  if (error instanceof DiskError) return error
  const errno = errnoOf(error)
  if (errno === null) throw error
  return createDiskError(errno, operation, path, { cause: error })
}

export function createDiskError(
  errno: string,
  operation: DiskOperation,
  path: string,
  options?: ErrorOptions,
): DiskError {
  const isInternal = path.split('/', 1)[0] === '.workroom'
  return new DiskError(errno, `${path} could not be ${operation}: ${reasonOf(errno, operation, path)}`, {
    ...options,
    isInternal,
  })
}

function reasonOf(errno: string, operation: DiskOperation, path: string): string {
  if (errno !== 'EACCES' && errno !== 'EPERM') return reasons[errno] ?? `the disk answers ${errno}`
  return operation === 'read'
    ? 'the server may not read it'
    : `the server may not write in ${posix.dirname(path)}`
}

/** Errors that concern the file, not the disk: it is skipped. */
export const skippedErrnos = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'ENODEV',
  'EACCES',
  'EPERM',
  'EISDIR',
])
