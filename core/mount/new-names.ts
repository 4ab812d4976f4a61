import { illegalNameReason } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MountLocation } from './mount-paths.ts'
import type { PathSegments } from './types.ts'

/** Leaves room in the 255 bytes of a name for suffixes. */
const maxNameBytes = 200

const maxFolderDepth = 8
const maxFileFolderDepth = 7

const maxScratchNameBytes = 255
const maxScratchPathBytes = 4096

/** The name of a scratch file is never one on the disk. @throws WorkspaceError `invalid` */
export function requireScratchName(names: PathSegments): void {
  const isNameLong = Buffer.byteLength(names.at(-1)!) > maxScratchNameBytes
  if (!isNameLong && Buffer.byteLength(names.join('/')) <= maxScratchPathBytes) return
  throw new WorkspaceError('invalid', 'This name, or the path to it, is too long. Choose a shorter one.')
}

/** Names must be legal on every system. @throws WorkspaceError `invalid` */
export function requireNewNames({ names, zone }: MountLocation, isFolder: boolean): void {
  for (const name of names) {
    const problem = problemOf(name)
    if (problem === null) continue
    throw new WorkspaceError(
      'invalid',
      `Nothing can be named ${JSON.stringify(name.slice(0, 60))}: it ${problem}.`,
    )
  }
  requireDepth(zone, names.length - (isFolder ? 1 : 2))
}

/** @param foldersDeep levels of folders in the moved one @throws WorkspaceError `invalid` */
export function requireFolderDepth({ names, zone }: MountLocation, foldersDeep: number): void {
  requireDepth(zone, names.length - 1 + foldersDeep)
}

function requireDepth(zone: MountLocation['zone'], folders: number): void {
  const limit = zone === 'files' ? maxFileFolderDepth : maxFolderDepth
  if (folders <= limit) return
  throw new WorkspaceError('invalid', `Files can be at most ${limit} folders deep here.`)
}

function problemOf(name: string): string | null {
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`
  if (/[\u2028\u2029]/u.test(name)) return 'has a line break'
  // Hidden names are accepted: what follows the dots is validated.
  const shown = name.replace(/^\.+/, '')
  return shown === '' ? 'consists of dots' : illegalNameReason(shown)
}
