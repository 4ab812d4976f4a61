import nodeFs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FileSystem } from '../../data/tree/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: the calls of node:fs have nothing in common but that they are calls
type AnyCall = (...args: any[]) => unknown

/**
 * The disk of a machine that does not tell upper from lower case, as those of macOS and Windows: a name finds what is there
 * under any spelling of it, and keeps the spelling that it was made with.
 */
export function caseBlindDisk(): FileSystem {
  const spelled = (path: string): string => {
    const folder = dirname(path)
    if (folder === path || nodeFs.existsSync(path)) return path
    const within = spelled(folder)
    const name = basename(path)
    const listed = nodeFs.existsSync(within) ? nodeFs.readdirSync(within) : []
    return join(within, listed.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name)
  }
  const blind = (call: keyof FileSystem, paths = 1): AnyCall => {
    const real = nodeFs[call] as AnyCall
    return (...args) =>
      real(...args.slice(0, paths).map((path) => spelled(path as string)), ...args.slice(paths))
  }
  const fs = { ...nodeFs } as unknown as Record<string, AnyCall>
  for (const call of [
    'openSync',
    'lstatSync',
    'unlinkSync',
    'mkdirSync',
    'rmdirSync',
    'readdirSync',
    'realpathSync',
  ] as const) {
    fs[call] = blind(call)
  }
  fs.linkSync = blind('linkSync', 2)
  // What takes its own name in another case is spelled so from then on.
  fs.renameSync = (from: string, to: string) => {
    const [source, target] = [spelled(from), spelled(to)]
    nodeFs.renameSync(source, source === target ? join(dirname(target), basename(to)) : target)
  }
  return fs as unknown as FileSystem
}
