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
export function requireNewNames({ names, topLevelFolder }: MountLocation, isFolder: boolean): void {
  for (const name of names) {
    const problem = problemOf(name)
    if (problem === null) continue
    throw new WorkspaceError(
      'invalid',
      `Nothing can be named ${JSON.stringify(name.slice(0, 60))}: it ${problem}.`,
    )
  }
  requireDepth(topLevelFolder, names.length - (isFolder ? 1 : 2))
}

/** @param depth levels of folders in the moved one @throws WorkspaceError `invalid` */
export function requireFolderDepth({ names, topLevelFolder }: MountLocation, depth: number): void {
  requireDepth(topLevelFolder, names.length - 1 + depth)
}

function requireDepth(topLevelFolder: MountLocation['topLevelFolder'], folders: number): void {
  const limit = topLevelFolder === 'files' ? maxFileFolderDepth : maxFolderDepth
  if (folders <= limit) return
  throw new WorkspaceError('invalid', `Files can be at most ${limit} folders deep here.`)
}

function problemOf(name: string): string | null {
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`
  if (/[\u2028\u2029]/u.test(name)) return 'has a line break'
  // Hidden names are accepted: what follows the dots is validated.
  const visibleName = name.replace(/^\.+/, '')
  return visibleName === '' ? 'consists of dots' : illegalNameReason(visibleName)
}
