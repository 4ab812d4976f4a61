import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

/** A small file system of its own, in a file that is mounted. */
export interface SmallDisk {
  /** Absolute path of its root. */
  root: string
  /** Writes until nothing fits any more. @param leftBytes how much is freed again */
  fill(leftBytes: number): void
  free(): void
  /** Has it be read-only, as after an error of the device: only mounting it anew makes it writable. */
  abort(): void
  /** Takes it away, once nobody has a file open on it, checks it, and mounts it again. */
  remount(): Promise<void>
  close(): void
}

const mb = 1024 * 1024

/**
 * @param folder in which the disk's file and its mount point are made
 * @returns null where permission denied mount
 */
export function smallDisk(folder: string, sizeMb: number): SmallDisk | null {
  const image = join(folder, 'disk.img')
  const root = join(folder, 'disk')
  const ballast = join(root, 'ballast')
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' })
  const mount = () => run('mount', '-o', 'loop', image, root)
  const unmount = (...how: string[]) => run('umount', ...how, root)
  writeFileSync(image, '')
  truncateSync(image, sizeMb * mb)
  mkdirSync(root)
  try {
    run('mkfs.ext4', '-q', '-F', '-m', '0', '-N', '8192', image)
    mount()
  } catch {
    return null
  }
  let isMounted = true
  const close = () => {
    if (!isMounted) return
    isMounted = false
    unmount('--lazy')
  }
  // Before those that remove the folder that it is in.
  process.prependListener('exit', close)
  return {
    root,
    fill(leftBytes) {
      const file = openSync(ballast, 'a')
      try {
        for (const bytes of [mb, 4096, 1]) writeWhileThereIsRoom(file, Buffer.alloc(bytes, 'x'))
      } finally {
        closeSync(file)
      }
      if (leftBytes > 0)
        truncateSync(ballast, Math.max(0, sizeOf(run('stat', '-c', '%s', ballast)) - leftBytes))
    },
    free: () => rmSync(ballast, { force: true }),
    abort: () => void run('mount', '-o', 'remount,abort', root),
    async remount() {
      // What the server had started may end a little later than it.
      await eventually(() => unmount() !== null)
      try {
        run('fsck.ext4', '-p', image)
      } catch (error) {
        // 1: it mended what the error had left.
        if ((error as { status?: number }).status !== 1) throw error
      }
      mount()
    },
    close() {
      process.off('exit', close)
      close()
    },
  }
}

const sizeOf = (printed: Buffer) => Number(printed.toString())

function writeWhileThereIsRoom(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
