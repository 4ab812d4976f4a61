import nodeFs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FileSystem } from '../../data/tree/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: the functions of node:fs share no signature
type AnyCall = (...args: any[]) => unknown

/** A disk that ignores case but keeps the spelling of names, as those of macOS and Windows do. */
export function caseInsensitiveDisk(): FileSystem {
  const actualPath = (path: string): string => {
    const folder = dirname(path)
    if (folder === path || nodeFs.existsSync(path)) return path
    const parent = actualPath(folder)
    const name = basename(path)
    const names = nodeFs.existsSync(parent) ? nodeFs.readdirSync(parent) : []
    return join(parent, names.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name)
  }
  const ignoreCase = (call: keyof FileSystem, paths = 1): AnyCall => {
    const real = nodeFs[call] as AnyCall
    return (...args) =>
      real(...args.slice(0, paths).map((path) => actualPath(path as string)), ...args.slice(paths))
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
    fs[call] = ignoreCase(call)
  }
  fs.linkSync = ignoreCase('linkSync', 2)
  // Renaming a file to its own name in another case changes the spelling.
  fs.renameSync = (from: string, to: string) => {
    const [source, target] = [actualPath(from), actualPath(to)]
    nodeFs.renameSync(source, source === target ? join(dirname(target), basename(to)) : target)
  }
  return fs as unknown as FileSystem
}
