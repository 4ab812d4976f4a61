import nodeFs from 'node:fs'
import { errnoOf } from './disk-errors.ts'

export const privateFolderMode = 0o700
const privateFileMode = 0o600

/** Drafts, attachments, files of rooms, trash, `.workroom`. @param isHomePrivate false: `.workroom` alone */
export function isPrivatePath(path: string, isHomePrivate = true): boolean {
  const [top, , inner] = path.split('/')
  if (top === '.workroom') return true
  if (!isHomePrivate) return false
  if (top === 'trash' || top === 'rooms') return true
  return top === 'projects' && (inner === 'drafts' || inner === 'attachments')
}

/** Never fails: another user's file stays as it is. */
export const restrictToOwner = (absolute: string): void => setMode(absolute, privateFileMode)

/** Never fails. */
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
