import { createReadStream } from 'node:fs'
import { pipeline, Readable, Transform } from 'node:stream'
import { createDiskError, errnoOf, skippedErrnos, toDiskError } from './disk-errors.ts'
import type { FolderChain } from './folder-chain.ts'
import { joinHome } from './paths.ts'
import { readFlags } from './read-flags.ts'
import { newStagedName, type Staging, stagingFolder } from './staging.ts'
import { sameStamp, stampOf, statPath } from './stamps.ts'
import type { FileStamp, FileSystem, PathStat, Staged, Tree } from './types.ts'

export function streamer(
  fs: FileSystem,
  home: string,
  folders: FolderChain,
  staging: Staging,
): Pick<Tree, 'statAnySize' | 'receive' | 'stream'> {
  function statAnySize(path: string): PathStat {
    const absolute = joinHome(home, path)
    const status = folders.statusAbove(absolute)
    if (status === 'real') return statPath(fs, absolute, Infinity)
    return status === 'missing' ? { kind: 'missing' } : { kind: 'skipped', reason: status }
  }

  async function receive(source: AsyncIterable<Uint8Array>): Promise<Staged> {
    const name = newStagedName()
    try {
      const file = asDiskError(() => {
        folders.create(stagingFolder)
        return fs.openSync(staging.absolute(name), 'wx')
      })
      return { name, stamp: await fill(file, source) }
    } catch (error) {
      staging.discard(name)
      throw error
    }
  }

  /** A full disk fails any of these calls, on some file systems only the last. */
  async function fill(file: number, source: AsyncIterable<Uint8Array>): Promise<FileStamp> {
    try {
      let size = 0
      for await (const bytes of source) {
        await writeWhole(file, bytes)
        size += bytes.length
      }
      await callAsync<void>((done) => fs.fsync(file, done))
      const stamp = stampOf(asDiskError(() => fs.fstatSync(file)))
      if (stamp.size !== size) throw createDiskError('EIO', 'written', stagingFolder)
      return stamp
    } finally {
      asDiskError(() => fs.closeSync(file))
    }
  }

  async function writeWhole(file: number, bytes: Uint8Array): Promise<void> {
    let length = 0
    while (length < bytes.length) {
      const count = await callAsync<number>((done) =>
        fs.write(file, bytes, length, bytes.length - length, null, done),
      )
      if (count === 0) throw createDiskError('ENOSPC', 'written', stagingFolder)
      length += count
    }
  }

  function stream(
    path: string,
    stamp: FileStamp,
    range = { start: 0, end: stamp.size - 1 },
  ): Readable | null {
    const file = openIfUnchanged(path, stamp)
    if (file === null) return null
    const length = range.end - range.start + 1
    if (length === 0) {
      fs.closeSync(file)
      return Readable.from([])
    }
    // The size was announced: too few bytes must not pass for the end.
    const checked = requireLength(length, () => createDiskError('EIO', 'read', path))
    return pipeline(createReadStream('', { fd: file, ...range }), checked, () => {})
  }

  /** Checks again after opening: a link swapped in for a folder leads to another file. */
  function openIfUnchanged(path: string, stamp: FileStamp): number | null {
    const isSame = (stat: PathStat) => stat.kind === 'file' && sameStamp(stat.stamp, stamp)
    if (!isSame(statAnySize(path))) return null
    try {
      const file = fs.openSync(joinHome(home, path), readFlags)
      if (isUnchanged(file, stamp) && isSame(statAnySize(path))) return file
      fs.closeSync(file)
      return null
    } catch (error) {
      if (skippedErrnos.has(errnoOf(error) ?? '')) return null
      throw toDiskError(error, 'read', path)
    }
  }

  function isUnchanged(file: number, stamp: FileStamp): boolean {
    try {
      const stats = fs.fstatSync(file)
      return stats.isFile() && sameStamp(stampOf(stats), stamp)
    } catch (error) {
      fs.closeSync(file)
      throw error
    }
  }

  return { statAnySize, receive, stream }
}

function asDiskError<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw toDiskError(error, 'written', stagingFolder)
  }
}

async function callAsync<T>(call: (done: (error: Error | null, result?: T) => void) => void): Promise<T> {
  try {
    return await new Promise<T>((resolve, reject) =>
      call((error, result) => (error ? reject(error) : resolve(result as T))),
    )
  } catch (error) {
    throw toDiskError(error, 'written', stagingFolder)
  }
}

function requireLength(length: number, failure: () => Error): Transform {
  let received = 0
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      received += bytes.length
      done(null, bytes)
    },
    flush: (done) => done(received === length ? null : failure()),
  })
}
