import { illegalNameReason } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Where } from './mount-paths.ts'
import type { PathSegments } from './types.ts'

/** Leaves room in the 255 bytes of a name for what systems and tools put behind it. */
const maxNameBytes = 200

/** How many folders a file may lie in, below the first of its project: as deep as the file tree shows it. */
const maxFolderDepth = 8
const maxFileFolderDepth = 7

/** The most that the usual file systems take of a name. */
const maxScratchNameBytes = 255
/** Enough for every path that a program can have on its own system. */
const maxScratchPathBytes = 4096

/**
 * Checks the name of what a program leaves beside people's files, which never becomes one on the disk.
 * @throws WorkspaceError `invalid`
 */
export function requireScratchName(names: PathSegments): void {
  const isNameLong = Buffer.byteLength(names.at(-1)!) > maxScratchNameBytes
  if (!isNameLong && Buffer.byteLength(names.join('/')) <= maxScratchPathBytes) return
  throw new WorkspaceError('invalid', 'This name, or the path to it, is too long. Choose a shorter one.')
}

/**
 * Checks the names of what is new, of which every system must be able to have each.
 * @param isFolder whether the last is that of a folder
 * @throws WorkspaceError `invalid`
 */
export function requireNewNames({ names, zone }: Where, isFolder: boolean): void {
  for (const name of names) {
    const problem = problemOf(name)
    if (problem === null) continue
    throw new WorkspaceError(
      'invalid',
      `Nothing can be called ${JSON.stringify(name.slice(0, 60))}: it ${problem}.`,
    )
  }
  requireDepth(zone, names.length - (isFolder ? 1 : 2))
}

/**
 * Makes sure that what lies in a folder is not too deep where the folder is to be.
 * @param foldersDeep how many folders are in each other within it
 * @throws WorkspaceError `invalid`
 */
export function requireFolderDepth({ names, zone }: Where, foldersDeep: number): void {
  requireDepth(zone, names.length - 1 + foldersDeep)
}

function requireDepth(zone: Where['zone'], folders: number): void {
  const limit = zone === 'files' ? maxFileFolderDepth : maxFolderDepth
  if (folders <= limit) return
  throw new WorkspaceError('invalid', `Files lie at most ${limit} folders deep here.`)
}

function problemOf(name: string): string | null {
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`
  if (/[\u2028\u2029]/u.test(name)) return 'has a line break'
  // What is hidden has every right to be there: only what follows the dots has to be a name.
  const shown = name.replace(/^\.+/, '')
  return shown === '' ? 'is made of dots' : illegalNameReason(shown)
}
