import nodeFs from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FileSystem } from '../../data/tree/index.ts'

/** A disk on which paths can be made unreadable, even for a superuser, whom `chmod 000` does not stop. */
export function lockableDisk() {
  const locked = new Set<string>()
  const refuse = (path: unknown) => {
    throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: 'EACCES', path })
  }
  /** A file in a locked folder has no stat either; a locked file has. */
  const isInLockedFolder = (path: unknown) => locked.has(dirname(resolve(String(path))))
  const isLocked = (path: unknown) => locked.has(String(path)) || isInLockedFolder(path)
  const guarded =
    <Call extends (...args: never[]) => unknown>(call: Call, isRefused: (path: unknown) => boolean) =>
    (...args: never[]) =>
      isRefused(args[0]) ? refuse(args[0]) : call(...args)
  const fs = {
    ...nodeFs,
    openSync: guarded(nodeFs.openSync, isLocked),
    lstatSync: guarded(nodeFs.lstatSync, isInLockedFolder),
    readdirSync: guarded(nodeFs.readdirSync, isLocked),
    renameSync: guarded(nodeFs.renameSync, isInLockedFolder),
    unlinkSync: guarded(nodeFs.unlinkSync, isInLockedFolder),
    linkSync: guarded(nodeFs.linkSync, isInLockedFolder),
  } as unknown as FileSystem
  return {
    fs,
    lock: (path: string) => void locked.add(path),
    unlock: (path: string) => void locked.delete(path),
  }
}
