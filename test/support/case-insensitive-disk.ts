import nodeFs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FileSystem } from '../../data/tree/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: the functions of node:fs share no signature
type AnyCall = (...args: any[]) => unknown

/** A disk that ignores case but keeps the spelling of names, as those of macOS and Windows do. */
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
  // Renaming a file to its own name in another case changes the spelling.
  fs.renameSync = (from: string, to: string) => {
    const [source, target] = [spelled(from), spelled(to)]
    nodeFs.renameSync(source, source === target ? join(dirname(target), basename(to)) : target)
  }
  return fs as unknown as FileSystem
}
