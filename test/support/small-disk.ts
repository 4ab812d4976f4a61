import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

export interface SmallDisk {
  root: string
  /** Fills the disk. @param freeBytes how much is freed again */
  fill(freeBytes: number): void
  free(): void
  /** Makes it read-only until it is mounted again, as after a device error. */
  abort(): void
  /** Waits until no file is open, unmounts, checks and mounts it again. */
  remount(): Promise<void>
  close(): void
}

const mb = 1024 * 1024

/** @param folder for the disk's file and mount point @returns null if this process may not mount */
export function smallDisk(folder: string, sizeMb: number): SmallDisk | null {
  const image = join(folder, 'disk.img')
  const root = join(folder, 'disk')
  const ballast = join(root, 'ballast')
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' })
  const mount = () => run('mount', '-o', 'loop', image, root)
  const unmount = (...options: string[]) => run('umount', ...options, root)
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
  // Must run before the listeners that remove the folder.
  process.prependListener('exit', close)
  return {
    root,
    fill(freeBytes) {
      const file = openSync(ballast, 'a')
      try {
        for (const bytes of [mb, 4096, 1]) writeUntilFull(file, Buffer.alloc(bytes, 'x'))
      } finally {
        closeSync(file)
      }
      if (freeBytes > 0)
        truncateSync(ballast, Math.max(0, sizeOf(run('stat', '-c', '%s', ballast)) - freeBytes))
    },
    free: () => rmSync(ballast, { force: true }),
    abort: () => void run('mount', '-o', 'remount,abort', root),
    async remount() {
      // Work that the server started may end a little after it.
      await eventually(() => unmount() !== null)
      try {
        run('fsck.ext4', '-p', image)
      } catch (error) {
        // Status 1: it repaired what the error left.
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

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
