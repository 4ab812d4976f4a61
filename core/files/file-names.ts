import { posix } from 'node:path'
import { illegalNameReason, isIgnoredName } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

/** Leaves room in the 255 bytes of a file name for a suffix. */
const maxNameBytes = 200

export const maxPathDepth = 8

function nameProblem(name: string): string | null {
  if (name === '.' || name === '..') return 'leads out of its folder'
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`
  if (/[\u2028\u2029]/u.test(name)) return 'has a line break'
  if (isIgnoredName(name)) return 'is a name that editors and systems use for temporary files'
  return illegalNameReason(name)
}

/** Normalizes to NFC. @throws WorkspaceError `invalid` for a name that is not legal on every system */
export function requireFileName(sent: string): string {
  const name = sent.normalize('NFC')
  const problem = nameProblem(name)
  if (problem === null) return name
  throw new WorkspaceError(
    'invalid',
    `The file name ${JSON.stringify(name.slice(0, 60))} ${problem}. Send the file under another name, with ?name=.`,
  )
}

/** With folders. @throws WorkspaceError `invalid` */
export function requireFilePath(sent: string): string {
  const names = sent.split('/')
  if (names.length <= maxPathDepth) return names.map(requireFileName).join('/')
  throw new WorkspaceError('invalid', `A file may be at most ${maxPathDepth - 1} folders deep.`)
}

export function numberedName(name: string, n: number): string {
  if (n === 1) return name
  const extension = posix.extname(name)
  return `${name.slice(0, name.length - extension.length)}-${n}${extension}`
}

/** Keeps the end of a long name, to leave room for an id or time before it. */
export function extensionOf(name: string): string {
  const characters = [...name]
  while (Buffer.byteLength(characters.join('')) > maxNameBytes) characters.shift()
  return characters.join('')
}
