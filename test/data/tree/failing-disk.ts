import nodeFs from 'node:fs'
import type { FileSystem } from '../../../data/tree/index.ts'

/** A system error whose message contains an absolute path, as Node's messages do. */
export function systemError(errno: string, path = ''): NodeJS.ErrnoException {
  return Object.assign(new Error(`${errno}: it failed, '${path}'`), { code: errno, path })
}

/** A disk on which one call fails, every time or where `when` is true of its arguments. */
export function failing(
  call: Exclude<keyof FileSystem, 'fsync'>,
  errno: string,
  when: (...args: unknown[]) => boolean = () => true,
): FileSystem {
  const real = nodeFs[call] as (...args: unknown[]) => unknown
  const failed = (...args: unknown[]) => {
    if (!when(...args)) return real(...args)
    // A failing close has closed the file nevertheless.
    if (call === 'closeSync') real(...args)
    throw systemError(errno, String(args[0]))
  }
  return { ...nodeFs, [call]: failed }
}

/** A disk on which something happens just before the first call for which `when` is true. */
export function before(
  call: keyof FileSystem,
  happen: () => void,
  when: (...args: unknown[]) => boolean = () => true,
): FileSystem {
  const real = nodeFs[call] as (...args: unknown[]) => unknown
  let isDone = false
  const late = (...args: unknown[]) => {
    if (!isDone && when(...args)) {
      isDone = true
      happen()
    }
    return real(...args)
  }
  return { ...nodeFs, [call]: late }
}
