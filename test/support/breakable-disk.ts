import nodeFs from 'node:fs'
import type { FileSystem } from '../../data/tree/index.ts'

type Call = keyof FileSystem
// biome-ignore lint/suspicious/noExplicitAny: the calls of node:fs have nothing in common but that they are calls
type AnyCall = (...args: any[]) => unknown

/** What happens in place of a call; `real` makes it after all. */
export type Instead = (real: () => unknown, args: unknown[]) => unknown

export interface BreakableDisk {
  fs: FileSystem
  replace(call: Call, instead: Instead): void
  /** From now on such calls fail, all of them or those that `when` holds of. */
  fail(call: Call, errno: string, when?: (args: unknown[]) => boolean): void
  mend(): void
}

/** The system's error, with an absolute path in its message as Node's have. */
export const systemError = (errno: string, path: unknown = ''): NodeJS.ErrnoException =>
  Object.assign(new Error(`${errno}: it failed, '${path}'`), { code: errno })

/** The disk of the machine, whose calls can be made to fail while a server runs on it, and mended again. */
export function breakableDisk(): BreakableDisk {
  const replaced = new Map<Call, Instead>()
  const wrap = (call: Call): AnyCall => {
    const real = nodeFs[call] as AnyCall
    return (...args) => {
      const instead = replaced.get(call)
      return instead ? instead(() => real(...args), args) : real(...args)
    }
  }
  const calls: Call[] = [
    'openSync',
    'closeSync',
    'readSync',
    'writeSync',
    'write',
    'fsync',
    'fstatSync',
    'futimesSync',
    'lstatSync',
    'linkSync',
    'symlinkSync',
    'readlinkSync',
    'renameSync',
    'unlinkSync',
    'mkdirSync',
    'rmdirSync',
    'readdirSync',
    'realpathSync',
  ]
  return {
    fs: Object.fromEntries(calls.map((call) => [call, wrap(call)])) as unknown as FileSystem,
    replace: (call, instead) => void replaced.set(call, instead),
    fail(call, errno, when = () => true) {
      replaced.set(call, (real, args) => {
        if (!when(args)) return real()
        const error = systemError(errno, args[0])
        // fsync is the one call that answers later.
        if (call !== 'fsync') throw error
        return setImmediate(args.at(-1) as (error: Error) => void, error)
      })
    },
    mend: () => replaced.clear(),
  }
}
