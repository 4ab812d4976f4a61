import nodeFs from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FileSystem } from '../../data/tree/index.ts'

/** A disk on which paths may not be read, whoever the process runs as: `chmod 000` stops no superuser. */
export function lockableDisk() {
  const locked = new Set<string>()
  const refuse = (path: unknown) => {
    throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: 'EACCES', path })
  }
  /** What stands in a locked folder cannot even be looked at; what is locked itself can. */
  const isBehind = (path: unknown) => locked.has(dirname(resolve(String(path))))
  const isLocked = (path: unknown) => locked.has(String(path)) || isBehind(path)
  const guarded =
    <Call extends (...args: never[]) => unknown>(call: Call, isRefused: (path: unknown) => boolean) =>
    (...args: never[]) =>
      isRefused(args[0]) ? refuse(args[0]) : call(...args)
  const fs = {
    ...nodeFs,
    openSync: guarded(nodeFs.openSync, isLocked),
    lstatSync: guarded(nodeFs.lstatSync, isBehind),
    readdirSync: guarded(nodeFs.readdirSync, isLocked),
    renameSync: guarded(nodeFs.renameSync, isBehind),
    unlinkSync: guarded(nodeFs.unlinkSync, isBehind),
    linkSync: guarded(nodeFs.linkSync, isBehind),
  } as unknown as FileSystem
  return {
    fs,
    /** @param path absolute, of a file or a folder */
    lock: (path: string) => void locked.add(path),
    unlock: (path: string) => void locked.delete(path),
  }
}
