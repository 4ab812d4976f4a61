import { sep } from 'node:path'
import { UnsafePathError } from './types.ts'

const unsafe: [pattern: RegExp, reason: string][] = [
  [/^\//, 'it is absolute'],
  [/(?:^|\/)(?:\/|$)/, 'it has an empty name'],
  // Windows drops dots and spaces at the end of a name: `.. ` equals `..`.
  [/(?:^|\/)[. ]+(?:\/|$)/, 'it has a name made of dots'],
  [/\\/, 'it has a backslash'],
  [/:/, 'it has a colon'],
  [/\p{Cc}/u, 'it has a control character'],
  // A lone surrogate would be written as U+FFFD, another name.
  [/\p{Cs}/u, 'it is not valid Unicode'],
]

/** One pattern, so that a good path costs one test. */
const anyUnsafe = new RegExp(unsafe.map(([pattern]) => pattern.source).join('|'), 'u')

/** Whether a name from the disk can be part of a path; one with a backslash or line break cannot. */
export function isSafeName(name: string): boolean {
  return !anyUnsafe.test(name)
}

/** The only place that joins paths to `home`. @throws UnsafePathError */
export function joinHome(home: string, path: string): string {
  if (anyUnsafe.test(path)) {
    const reason = unsafe.find(([pattern]) => pattern.test(path))?.[1]
    throw new UnsafePathError(`${JSON.stringify(path)} is no path in the home: ${reason}`)
  }
  // Nothing is left to normalize, which would take longer than the checks.
  return (home.endsWith(sep) ? home : home + sep) + (sep === '/' ? path : path.replaceAll('/', sep))
}

const maxNameBytes = 255

/** Windows ignores what follows the first dot, and treats superscript digits as digits. */
const windowsDevices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i

/** @returns the reason, to follow the name (`ends in a dot`); null if legal on Windows, macOS and Linux */
export function illegalNameReason(name: string): string | null {
  if (name === '') return 'is empty'
  if (name.startsWith('.')) return 'begins with a dot'
  if (/\p{Cs}/u.test(name)) return 'is not valid Unicode'
  if (/\p{Cc}/u.test(name)) return 'has a control character'
  const character = /[<>:"/\\|?*]/.exec(name)?.[0]
  if (character !== undefined) return `has the character ${character}`
  if (name.endsWith('.')) return 'ends in a dot'
  if (name.endsWith(' ')) return 'ends in a space'
  if (windowsDevices.test(name)) return 'is the name of a device on Windows'
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`
  return null
}
