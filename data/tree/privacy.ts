import nodeFs from 'node:fs'
import { errnoOf } from './disk-errors.ts'

export const privateFolderMode = 0o700
const privateFileMode = 0o600

/**
 * Whether not everybody who works in a project may read what lies at a path within the home: drafts, which are their
 * authors', what is attached to them, what was deleted, and what is ours.
 * @param all false: what is ours alone
 */
export function isPrivatePath(path: string, all = true): boolean {
  const [top, , inner] = path.split('/')
  if (top === '.workroom') return true
  return all && (top === 'trash' || (top === 'projects' && (inner === 'drafts' || inner === 'attachments')))
}

/** Keeps a file from everybody but its owner. Never fails: one of somebody else is theirs to close. */
export const restrictToOwner = (absolute: string): void => setMode(absolute, privateFileMode)

/** Gives a file that only its owner may see the permissions that any new file has. Never fails. */
export function restoreMode(absolute: string): void {
  try {
    const { mode } = nodeFs.lstatSync(absolute)
    if (nodeFs.constants.S_IFREG === (mode & nodeFs.constants.S_IFMT) && (mode & 0o777) === privateFileMode) {
      setMode(absolute, 0o666 & ~process.umask())
    }
  } catch (error) {
    if (errnoOf(error) === null) throw error
  }
}

function setMode(absolute: string, mode: number): void {
  try {
    nodeFs.chmodSync(absolute, mode)
  } catch (error) {
    if (errnoOf(error) === null) throw error
  }
}
