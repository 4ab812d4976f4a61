import { join, sep } from 'node:path'
import { UnsafePathError } from './types.ts'

/** What no path may hold, with the reason; a list rather than nested conditions. */
const unsafe: [pattern: RegExp, reason: string][] = [
  [/^\//, 'it is absolute'],
  [/(?:^|\/)(?:\/|$)/, 'it has an empty name'],
  // Windows drops dots and spaces at the end of a name: there `.. ` is `..` as well.
  [/(?:^|\/)[. ]+(?:\/|$)/, 'it has a name made of dots'],
  [/\\/, 'it has a backslash'],
  [/:/, 'it has a colon'],
  [/\p{Cc}/u, 'it has a control character'],
  // A lone surrogate would be written as U+FFFD, and so name another file.
  [/\p{Cs}/u, 'it is not valid Unicode'],
]

/** The list in one pattern, so that a good path costs one test. */
const anyUnsafe = new RegExp(unsafe.map(([pattern]) => pattern.source).join('|'), 'u')

/** Whether a name that was found on the disk can stand in a path; one with a backslash or a line break cannot. */
export function isSafeName(name: string): boolean {
  return !anyUnsafe.test(name)
}

/**
 * Joins a path to the home; the one place where this is done.
 * @param home absolute, without a separator at its end
 * @param path relative, `/` between its names, at least one name
 * @throws UnsafePathError when the path could name something outside of the home
 */
export function joinHome(home: string, path: string): string {
  if (anyUnsafe.test(path)) {
    const reason = unsafe.find(([pattern]) => pattern.test(path))?.[1]
    throw new UnsafePathError(`${JSON.stringify(path)} is no path in the home: ${reason}`)
  }
  const joined = join(home, path)
  if (!joined.startsWith(home.endsWith(sep) ? home : home + sep)) {
    throw new UnsafePathError(`${JSON.stringify(path)} leaves the home`)
  }
  return joined
}

/** Most bytes of a name on the usual file systems. */
const maxNameBytes = 255

/** Windows reads the part before the first dot, whatever follows, and counts superscript digits as digits. */
const windowsDevices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i

/**
 * Whether a file or folder of this name may be created on Windows, macOS and Linux alike.
 * @returns null when it may, else the reason in words, to stand behind the name: `ends in a dot`
 */
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
