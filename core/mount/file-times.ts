import type { Caller } from '../access/member.ts'
import type { Locks } from '../concurrency/name-locks.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { writeUnavailableError } from '../errors/unavailable.ts'
import type { MountEntries } from './entries.ts'
import { fixedFolderError, homePathAt, type MountLocation } from './mount-paths.ts'
import type { PlainFiles } from './plain-files.ts'
import type { ScratchFiles } from './scratch.ts'
import type { PathSegments, Tagged } from './types.ts'

/** For synchronizing programs, which detect changes by times. Creates no revision, event or edit. */
export class FileTimes {
  constructor(
    private readonly shared: SharedDeps,
    private readonly deps: {
      byPath: PathResolver
      entries: MountEntries
      locks: Locks
      plainFiles: PlainFiles
      scratch: ScratchFiles
    },
  ) {}

  /** Durable. Null if `tag` is not the file's, or the disk refuses. @throws `forbidden`, `unavailable` */
  async set(
    caller: Caller,
    names: PathSegments,
    mtimeMs: number,
    tag: string | null,
  ): Promise<Tagged | null> {
    const { entries } = this.deps
    const { location, fileKind } = entries.requireTarget(caller, names)
    if (fileKind === 'scratch') return this.setScratch(caller, names, mtimeMs)
    if (!location || fileKind === null) throw fixedFolderError(location)
    try {
      const node = await entries.find(caller, names)
      if (node?.kind === 'folder') return await this.setFolder(location, mtimeMs)
      if (fileKind === 'document') return await this.setDocument(caller, location, mtimeMs, tag)
      return await this.setPlainFile(location, mtimeMs, tag)
    } catch (error) {
      throw writeUnavailableError(error)
    }
  }

  private setScratch({ member }: Caller, names: PathSegments, mtimeMs: number): Tagged | null {
    const { scratch } = this.deps
    // The times of scratch folders are not shown.
    if (scratch.find(member, names)?.kind === 'folder') return { tag: '', isTagWeak: false }
    const file = scratch.setTime(member, names, mtimeMs)
    return file?.kind === 'file' ? file : null
  }

  private setDocument(
    { member }: Caller,
    location: MountLocation,
    mtimeMs: number,
    tag: string | null,
  ): Promise<Tagged | null> {
    const { byPath } = this.deps
    const { tree, catalogue, database, documents, diskNow } = this.shared
    return byPath.withLock(member, [location], async ([found]) => {
      const record = byPath.unlessMissing(found ?? null)
      if (!record?.stamp || (tag !== null && record.revision !== tag)) return null
      const path = homePathAt({ project: location.project, path: record.path })
      const stamp = tree.setTime(path, record.stamp, mtimeMs)
      if (stamp === null) return null
      const newStamp = { ...stamp, lookedMs: diskNow() }
      catalogue.put({ ...catalogue.find(record.id)!, stamp: newStamp })
      database.commitLater(() => documents.setStamp(record.id, record.revision, newStamp))
      await tree.flush(path)
      return { tag: record.revision, isTagWeak: false }
    })
  }

  private setPlainFile(location: MountLocation, mtimeMs: number, tag: string | null): Promise<Tagged | null> {
    const { tree } = this.shared
    const { locks, plainFiles } = this.deps
    const path = homePathAt(location)
    return locks.run([path], async () => {
      const stat = tree.statAnySize(path)
      if (stat.kind !== 'file' || (tag !== null && plainFiles.find(location)?.tag !== tag)) return null
      if (tree.setTime(path, stat.stamp, mtimeMs) === null) return null
      await tree.flush(path)
      return plainFiles.find(location)
    })
  }

  private async setFolder(location: MountLocation, mtimeMs: number): Promise<Tagged | null> {
    const { tree } = this.shared
    const path = homePathAt(location)
    if (!tree.setFolderTime(path, mtimeMs)) return null
    await tree.flush(path)
    return { tag: '', isTagWeak: false }
  }
}

/** Returns null if it is invalid, or out of the range of disks. */
export function parseUnixTime(text: string): number | null {
  const seconds = /^-?\d{1,11}(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN
  return isRepresentable(seconds * 1000) ? seconds * 1000 : null
}

export function parseHttpDate(text: string): number | null {
  const ms = /^\s*\p{L}/u.test(text) ? Date.parse(text) : Number.NaN
  return isRepresentable(ms) ? ms : null
}

/** ext4 represents the years 1901 to 2446. */
const isRepresentable = (ms: number): boolean => ms >= -(2 ** 31) * 1000 && ms < Date.UTC(2446, 0)
