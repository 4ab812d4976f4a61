import { createHash, randomUUID } from 'node:crypto'
import { createDiskError, errnoOf, toDiskError } from './disk-errors.ts'
import type { FolderChain } from './folder-chain.ts'
import { isSafeName, joinHome } from './paths.ts'
import { sameFile, stampOf, statOrNull } from './stamps.ts'
import type { FileContent, FileStamp, FileSystem, RestoredFiles, Staged, Tree } from './types.ts'

/** On the file system of the documents, so that a rename out of it is atomic. */
export const stagingFolder = '.workroom/tmp'

/** Errors of hard links that are unsupported, too many, or restricted for files of others. */
const linksUnsupported = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

function isLinkUnsupported(error: unknown): boolean {
  return linksUnsupported.has(errnoOf(error) ?? '')
}

export class Staging {
  constructor(
    private readonly fs: FileSystem,
    private readonly home: string,
    private readonly folders: FolderChain,
    private readonly read: Tree['read'],
  ) {}

  stage(bytes: Uint8Array): Staged {
    return this.write(newStagedName(), bytes)
  }

  /**
   * Moves whatever is at `path` aside in one step: a save at this moment is either taken as well, or remains.
   * Until `confirmPlaced`, a start after a crash restores it. @throws the system's error; nothing has changed
   */
  setAside(path: string, name: string): boolean {
    this.folders.create(stagingFolder)
    this.noteOrigin(path, name)
    try {
      const isAside = this.moveAside(path, name)
      if (!isAside) this.confirmPlaced(name)
      return isAside
    } catch (error) {
      this.confirmPlaced(name)
      throw error
    }
  }

  /** As `setAside`, without a link to its origin: after a crash, the next start completes the journaled write. */
  moveAside(path: string, name: string): boolean {
    try {
      this.fs.renameSync(joinHome(this.home, path), this.absolute(name))
      return true
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false
      throw error
    }
  }

  /** Must be called once the file that was set aside is replaced or restored. */
  confirmPlaced(name: string): void {
    this.discard(originName(name))
  }

  /** Never replaces a file. @throws the system's error; the file stays aside */
  restore(path: string, name: string): void {
    this.link(name, path)
    this.discard(name)
    this.confirmPlaced(name)
  }

  /** As `restore`. If it fails, `restoreAll` does it before the file is reported missing. */
  restoreIfPossible(path: string, name: string): void {
    try {
      this.restore(path, name)
    } catch (error) {
      if (errnoOf(error) === null) throw error
      // The journal forgets a write that failed.
      this.noteOriginIfPossible(path, name)
    }
  }

  /** The second name is removed by the next call, when the first can be durable. */
  restoreAll(): RestoredFiles {
    const result: RestoredFiles = { restored: [], notRestored: [] }
    for (const origin of this.names().filter((name) => name.startsWith(originPrefix))) {
      const path = this.targetOf(origin)
      try {
        const outcome = path === null ? null : this.restoreOne(path, origin)
        if (outcome === null) this.discard(origin)
        else result[outcome].push(path!)
      } catch (error) {
        if (errnoOf(error) === null) throw error
        result.notRestored.push(path!)
      }
    }
    return result
  }

  markUnconfirmed(path: string): void {
    this.folders.create(stagingFolder)
    try {
      this.fs.symlinkSync(path, this.absolute(markName(path)))
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST' && !isLinkUnsupported(error)) throw error
    }
  }

  confirm(path: string): void {
    this.discard(markName(path))
  }

  unconfirmed(): string[] {
    const marks = this.names().filter((name) => name.startsWith(markPrefix))
    return marks.flatMap((name) => this.targetOf(name) ?? [])
  }

  absolute(name: string): string {
    return joinHome(this.home, `${stagingFolder}/${name}`)
  }

  list(): Staged[] {
    const names = new Set(this.names())
    return [...names].flatMap((name) => {
      const isUnconfirmed = name.startsWith(displacedPrefix) && names.has(originName(name))
      const stamp = isUnconfirmed ? null : this.stamp(name)
      return stamp === null ? [] : [{ name, stamp }]
    })
  }

  readStaged(name: string): FileContent | null {
    return this.read(`${stagingFolder}/${name}`)
  }

  /** The next start finds what cannot be removed now. */
  discard(name: string): void {
    try {
      this.fs.unlinkSync(this.absolute(name))
    } catch (error) {
      if (errnoOf(error) === null) throw error
    }
  }

  private names(): string[] {
    const absolute = joinHome(this.home, stagingFolder)
    return this.folders.find(absolute) ? this.fs.readdirSync(absolute).sort() : []
  }

  private noteOriginIfPossible(path: string, name: string): void {
    try {
      this.noteOrigin(path, name)
    } catch (error) {
      if (errnoOf(error) === null) throw error
    }
  }

  /** A dangling link is created by one call, so that a power cut leaves no half of it. */
  private noteOrigin(path: string, name: string): void {
    try {
      this.fs.symlinkSync(path, this.absolute(originName(name)))
    } catch (error) {
      // Without links, a document is restored from the database.
      if (errnoOf(error) !== 'EEXIST' && !isLinkUnsupported(error)) throw error
    }
  }

  private targetOf(name: string): string | null {
    try {
      const path = this.fs.readlinkSync(this.absolute(name))
      return isSafeName(path) ? path : null
    } catch (error) {
      if (errnoOf(error) === null) throw error
      return null
    }
  }

  private restoreOne(path: string, origin: string): keyof RestoredFiles | null {
    const name = origin.replace(originPrefix, displacedPrefix)
    const target = joinHome(this.home, path)
    const aside = statOrNull(this.fs, this.absolute(name))
    if (aside === null) return null
    const existing = statOrNull(this.fs, target)
    if (existing !== null) {
      if (sameFile(aside, existing)) this.discard(name)
      return null
    }
    // A missing folder may be an unmounted disk.
    if (this.folders.statusAbove(target) !== 'real') return 'notRestored'
    this.link(name, path)
    return 'restored'
  }

  private link(name: string, path: string): void {
    const target = joinHome(this.home, path)
    try {
      this.fs.linkSync(this.absolute(name), target)
    } catch (error) {
      const isTaken = errnoOf(error) === 'EEXIST' || statOrNull(this.fs, target) !== null
      if (!isTaken) this.fs.renameSync(this.absolute(name), target)
    }
  }

  stamp(name: string): FileStamp | null {
    try {
      const stats = statOrNull(this.fs, this.absolute(name))
      return stats?.isFile() ? stampOf(stats) : null
    } catch {
      return null
    }
  }

  private write(name: string, bytes: Uint8Array): Staged {
    try {
      this.folders.create(stagingFolder)
      const file = this.fs.openSync(this.absolute(name), 'wx')
      return { name, stamp: this.fill(file, bytes) }
    } catch (error) {
      this.discard(name)
      throw toDiskError(error, 'written', stagingFolder)
    }
  }

  /** A full disk fails any of these calls, on some file systems only the last. */
  private fill(file: number, bytes: Uint8Array): FileStamp {
    try {
      this.writeWhole(file, bytes)
      const stamp = stampOf(this.fs.fstatSync(file))
      if (stamp.size !== bytes.length) throw createDiskError('EIO', 'written', stagingFolder)
      return stamp
    } finally {
      this.fs.closeSync(file)
    }
  }

  private writeWhole(file: number, bytes: Uint8Array): void {
    let length = 0
    while (length < bytes.length) {
      const count = this.fs.writeSync(file, bytes, length, bytes.length - length)
      if (count === 0) throw createDiskError('ENOSPC', 'written', stagingFolder)
      length += count
    }
  }
}

export const newStagedName = (): string => `staged-${randomUUID()}`

const displacedPrefix = 'displaced-'
const originPrefix = 'origin-'
const markPrefix = 'announced-'

/** Derived from the name of the staged bytes, so that it is found after a crash. */
export const displacedBy = (stagedName: string, attempt = 0): string =>
  stagedName.replace(/^staged-/, displacedPrefix) + (attempt === 0 ? '' : `-${attempt}`)

const markName = (path: string): string =>
  markPrefix + createHash('sha256').update(path).digest('hex').slice(0, 32)

const originName = (displacedName: string): string => displacedName.replace(displacedPrefix, originPrefix)

/** A hard link, unlike a rename, never replaces a file. Without links, the file is renamed after a check. */
export function linkOrRename(fs: FileSystem, source: string, target: string): 'linked' | 'renamed' | 'taken' {
  try {
    fs.linkSync(source, target)
    return 'linked'
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'taken'
    if (!isLinkUnsupported(error)) throw error
    if (statOrNull(fs, target) !== null) return 'taken'
    fs.renameSync(source, target)
    return 'renamed'
  }
}
