import { createHash, type Hash } from 'node:crypto'
import { constants, createReadStream, existsSync, readdirSync } from 'node:fs'
import {
  chmod,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errnoOf } from '../tree/disk-errors.ts'
import { syncFolder } from '../tree/fsync.ts'

export interface WalkedEntry {
  path: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

export type CopyOutcome = 'copied' | 'missing' | 'unreadable'

/** Follows no link, and does not wait for the other end of a FIFO. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** `private`: readable by the owner alone. */
type Visibility = 'private' | 'default'
const fileMode: Record<Visibility, [plain: number, executable: number]> = {
  private: [0o600, 0o700],
  default: [0o644, 0o755],
}
const folderMode: Record<Visibility, number> = { private: 0o700, default: 0o755 }

export const isMissingOrEmpty = (path: string): boolean =>
  !existsSync(path) || readdirSyncOrNull(path)?.length === 0

function readdirSyncOrNull(path: string): string[] | null {
  try {
    return readdirSync(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return null
    throw error
  }
}

/** Parents first, including hidden entries. What cannot be listed counts as `other`. */
export async function* walk(root: string, within = ''): AsyncGenerator<WalkedEntry> {
  let entries: Awaited<ReturnType<typeof entriesOf>>
  try {
    entries = await entriesOf(join(root, within))
  } catch (error) {
    if (errnoOf(error) === null) throw error
    if (within !== '' && errnoOf(error) !== 'ENOENT') yield { path: within, kind: 'other' }
    return
  }
  for (const entry of entries) {
    const path = within === '' ? entry.name : `${within}/${entry.name}`
    if (entry.isFile()) yield { path, kind: 'file' }
    else if (entry.isSymbolicLink()) yield { path, kind: 'link' }
    else if (!entry.isDirectory()) yield { path, kind: 'other' }
    else {
      yield { path, kind: 'folder' }
      yield* walk(root, path)
    }
  }
}

const entriesOf = (path: string) => readdir(path, { withFileTypes: true })

export class DurableFolderWriter {
  private readonly root: string
  private readonly privacyOf: (path: string) => Visibility
  private readonly folders = new Map<string, Promise<unknown>>()
  /** Lower-case hex SHA-256 by path in the folder. */
  readonly sums = new Map<string, string>()

  /** @param privacy of everything, or by path in the root */
  constructor(root: string, privacy: Visibility | ((path: string) => Visibility)) {
    this.root = root
    this.privacyOf = typeof privacy === 'string' ? () => privacy : privacy
  }

  async makeFolder(path: string): Promise<void> {
    const making = this.folders.get(path) ?? this.makeOne(path)
    this.folders.set(path, making)
    await making
  }

  /** Makes parents first, because their permissions may differ. */
  private async makeOne(path: string): Promise<void> {
    const parent = dirname(path)
    if (parent !== path) await this.makeFolder(parent)
    await mkdir(join(this.root, path), { recursive: true, mode: folderMode[this.privacyOf(path)] })
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.create(path, false)
    try {
      await file.writeFile(bytes)
      await file.sync()
      this.sums.set(path, createHash('sha256').update(bytes).digest('hex'))
    } finally {
      await file.close()
    }
  }

  /** Keeps the mtime. */
  async copy(from: string, path: string): Promise<CopyOutcome> {
    const source = await openForReading(from)
    if (typeof source === 'string') return source
    try {
      const stats = await source.stat()
      if (!stats.isFile()) return 'unreadable'
      const file = await this.create(path, (stats.mode & 0o100) !== 0)
      try {
        const hash = createHash('sha256')
        await copyStream(source, file, hash)
        await file.utimes(stats.atimeMs / 1000, stats.mtimeMs / 1000)
        await file.sync()
        this.sums.set(path, hash.digest('hex'))
        return 'copied'
      } finally {
        await file.close()
      }
    } finally {
      await source.close()
    }
  }

  /** `unreadable` if it is no longer a link, or if its name is taken. */
  async copyLink(from: string, path: string): Promise<CopyOutcome> {
    try {
      const target = await readlink(from)
      await this.makeFolder(dirname(path))
      await symlink(target, join(this.root, path))
      return 'copied'
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return 'missing'
      if (['EINVAL', 'EEXIST'].includes(errnoOf(error) ?? '')) return 'unreadable'
      throw error
    }
  }

  async sync(): Promise<void> {
    for await (const { path, kind } of walk(this.root)) {
      if (kind === 'folder') await syncFolder(join(this.root, path))
    }
    await syncFolder(this.root)
  }

  private async create(path: string, isExecutable: boolean): Promise<FileHandle> {
    await this.makeFolder(dirname(path))
    return open(join(this.root, path), 'wx', fileMode[this.privacyOf(path)][isExecutable ? 1 : 0])
  }
}

const missingErrnos = new Set(['ENOENT', 'ENOTDIR'])
const unreadableErrnos = new Set(['ELOOP', 'ENXIO', 'EACCES', 'EPERM', 'EISDIR'])

async function openForReading(path: string): Promise<FileHandle | 'missing' | 'unreadable'> {
  try {
    return await open(path, readFlags)
  } catch (error) {
    if (missingErrnos.has(errnoOf(error) ?? '')) return 'missing'
    if (unreadableErrnos.has(errnoOf(error) ?? '')) return 'unreadable'
    throw error
  }
}

async function copyStream(source: FileHandle, target: FileHandle, hash: Hash): Promise<void> {
  const chunk = Buffer.allocUnsafe(1024 * 1024)
  let length = 0
  for (;;) {
    const { bytesRead } = await source.read(chunk, 0, chunk.length, length)
    if (bytesRead === 0) return
    hash.update(chunk.subarray(0, bytesRead))
    await target.writeFile(chunk.subarray(0, bytesRead))
    length += bytesRead
  }
}

/** @throws the system's error if the path is taken, except by an empty folder */
export async function publishFolder(partial: string, path: string): Promise<void> {
  await rename(partial, path)
  await syncFolder(dirname(path))
}

export async function readTextOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (missingErrnos.has(errnoOf(error) ?? '')) return null
    throw error
  }
}

export const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true })

export async function restrictToOwner(path: string): Promise<void> {
  await chmod(path, 0o600)
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

export async function measureFolder(
  root: string,
  isCounted: (path: string) => boolean,
): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0]
  for await (const { path, kind } of walk(root)) {
    if (kind !== 'file' || !isCounted(path)) continue
    const file = await open(join(root, path), readFlags)
    try {
      bytes += (await file.stat()).size
    } finally {
      await file.close()
    }
    files += 1
  }
  return { files, bytes }
}
