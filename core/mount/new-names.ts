import { legalName } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors.ts'
import type { Where } from './places.ts'

/** Leaves room in the 255 bytes of a name for what systems and tools put behind it. */
const longestNameBytes = 200

/** How many folders a file may lie in, below the first of its project: as deep as the file tree shows it. */
const deepest = 8
const deepestInFiles = 7

/**
 * Checks the names of what is new, of which every system must be able to have each.
 * @param isFolder whether the last is that of a folder
 * @throws WorkspaceError `unprocessable`
 */
export function requireNewNames({ names, zone }: Where, isFolder: boolean): void {
  for (const name of names) {
    const problem = problemOf(name)
    if (problem === null) continue
    throw new WorkspaceError(
      'unprocessable',
      `Nothing can be called ${JSON.stringify(name.slice(0, 60))}: it ${problem}.`,
    )
  }
  const limit = zone === 'files' ? deepestInFiles : deepest
  if (names.length - (isFolder ? 1 : 2) <= limit) return
  throw new WorkspaceError('unprocessable', `Files lie at most ${limit} folders deep here.`)
}

function problemOf(name: string): string | null {
  if (Buffer.byteLength(name) > longestNameBytes) return `is longer than ${longestNameBytes} bytes`
  if (/[\u2028\u2029]/u.test(name)) return 'has a line break'
  return legalName(name)
}
