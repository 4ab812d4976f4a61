import { randomBytes } from 'node:crypto'
import { diskError, errnoOf, refusal } from './failures.ts'
import type { Folders } from './folders.ts'
import { joinHome } from './paths.ts'
import { stampOf, statOrNull } from './stamps.ts'
import type { FileContent, FileStamp, FileSystem, Staged, Tree } from './types.ts'

/** Ours alone, and on the file system of the documents, so that a rename out of it is atomic. */
export const stagingFolder = '.workroom/tmp'

/** Why a file system declines a hard link that is no fault: it has none, has too many, or guards files of others. */
const linksUnsupported = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Whether `error` says that a hard link cannot be had here, and another way must be taken. */
export function isLinkUnsupported(error: unknown): boolean {
  return linksUnsupported.has(errnoOf(error) ?? '')
}

/** Bytes that are about to be replaced, kept under a second name. */
interface Kept {
  name: string
  /** The original's stamp as far as it is kept: a link follows the original, a copy is of one moment. */
  stamp(): FileStamp | null
}

/** `.workroom/tmp`: new bytes on their way to a place, and old ones that something took the place of. */
export class Staging {
  private readonly fs: FileSystem
  private readonly home: string
  private readonly folders: Folders
  private readonly read: Tree['read']

  constructor(fs: FileSystem, home: string, folders: Folders, read: Tree['read']) {
    this.fs = fs
    this.home = home
    this.folders = folders
    this.read = read
  }

  stage(bytes: Uint8Array): Staged {
    return this.write(newStagedName(), bytes)
  }

  /**
   * Keeps what stands at `path`, which `stagedName` is about to replace, in a hard link, or in a copy where there are none.
   * @throws the system's error
   */
  keep(path: string, stagedName: string): Kept {
    const name = displacedBy(stagedName)
    try {
      this.fs.linkSync(joinHome(this.home, path), this.absolute(name))
      return { name, stamp: () => this.stamp(name) }
    } catch (error) {
      if (!isLinkUnsupported(error)) throw error
      return this.copy(path, name)
    }
  }

  absolute(name: string): string {
    return joinHome(this.home, `${stagingFolder}/${name}`)
  }

  list(): Staged[] {
    const absolute = joinHome(this.home, stagingFolder)
    if (!this.folders.find(absolute)) return []
    const names = this.fs.readdirSync(absolute).sort()
    return names.flatMap((name) => {
      const stamp = this.stamp(name)
      return stamp === null ? [] : [{ name, stamp }]
    })
  }

  readStaged(name: string): FileContent | null {
    return this.read(`${stagingFolder}/${name}`)
  }

  /** What cannot be removed now stays in a folder that is ours alone, and is found there at the next start. */
  discard(name: string): void {
    try {
      this.fs.unlinkSync(this.absolute(name))
    } catch (error) {
      if (errnoOf(error) === null) throw error
    }
  }

  private copy(path: string, name: string): Kept {
    const original = this.read(path)
    if (original === null) throw refusal('EBUSY', 'written', path)
    this.write(name, original.bytes)
    return { name, stamp: () => original.stamp }
  }

  /** Null also when it cannot be looked at. */
  private stamp(name: string): FileStamp | null {
    try {
      const stats = statOrNull(this.fs, this.absolute(name))
      return stats?.isFile() ? stampOf(stats) : null
    } catch {
      return null
    }
  }

  private write(name: string, bytes: Uint8Array): Staged {
    try {
      this.folders.make(stagingFolder)
      const file = this.fs.openSync(this.absolute(name), 'wx')
      return { name, stamp: this.fill(file, bytes) }
    } catch (error) {
      this.discard(name)
      throw diskError(error, 'written', stagingFolder)
    }
  }

  /** A full disk shows itself at any of these calls, and on some file systems at the last of them alone. */
  private fill(file: number, bytes: Uint8Array): FileStamp {
    try {
      this.writeWhole(file, bytes)
      const stamp = stampOf(this.fs.fstatSync(file))
      if (stamp.size !== bytes.length) throw refusal('EIO', 'written', stagingFolder)
      return stamp
    } finally {
      this.fs.closeSync(file)
    }
  }

  private writeWhole(file: number, bytes: Uint8Array): void {
    let length = 0
    while (length < bytes.length) {
      const count = this.fs.writeSync(file, bytes, length, bytes.length - length)
      if (count === 0) throw refusal('ENOSPC', 'written', stagingFolder)
      length += count
    }
  }
}

export const newStagedName = (): string => `staged-${randomBytes(8).toString('hex')}`

/** The name in `.workroom/tmp` of what staged bytes take the place of: who knows the one finds the other after a crash. */
export const displacedBy = (stagedName: string): string => stagedName.replace(/^staged-/, 'displaced-')
