import nodeFs from 'node:fs'
import type { FileSystem } from '../../data/tree/index.ts'

type Call = keyof FileSystem
// biome-ignore lint/suspicious/noExplicitAny: the functions of node:fs share no signature
type AnyCall = (...args: any[]) => unknown

/** What happens instead of a call; `real` makes the call itself. */
export type Replacement = (real: () => unknown, args: unknown[]) => unknown

export interface BreakableDisk {
  fs: FileSystem
  replace(call: Call, instead: Replacement): void
  /** Makes such calls fail from now on: all of them, or those for which `when` is true. */
  fail(call: Call, errno: string, when?: (args: unknown[]) => boolean): void
  mend(): void
}

/** A system error whose message contains an absolute path, as Node's messages do. */
export const systemError = (errno: string, path: unknown = ''): NodeJS.ErrnoException =>
  Object.assign(new Error(`${errno}: it failed, '${path}'`), { code: errno })

/** The machine's disk, whose calls can be made to fail and mended again while a server runs on it. */
export function breakableDisk(): BreakableDisk {
  const replacements = new Map<Call, Replacement>()
  const wrap = (call: Call): AnyCall => {
    const real = nodeFs[call] as AnyCall
    return (...args) => {
      const replacement = replacements.get(call)
      return replacement ? replacement(() => real(...args), args) : real(...args)
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
    replace: (call, instead) => void replacements.set(call, instead),
    fail(call, errno, when = () => true) {
      replacements.set(call, (real, args) => {
        if (!when(args)) return real()
        const error = systemError(errno, args[0])
        // fsync is the only asynchronous call.
        if (call !== 'fsync') throw error
        return setImmediate(args.at(-1) as (error: Error) => void, error)
      })
    },
    mend: () => replacements.clear(),
  }
}
