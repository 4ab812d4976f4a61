import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export type DiskKind = 'ext4' | 'xfs' | 'btrfs'

const mebibyte = 1024 * 1024
const imageBytes = 384 * mebibyte
/** The size of the disk that holds the images of btrfs. */
const hostBytes = 2048 * mebibyte

const make: Record<DiskKind, [program: string, ...options: string[]]> = {
  ext4: ['mkfs.ext4', '-q', '-F'],
  xfs: ['mkfs.xfs', '-q', '-f'],
  btrfs: ['mkfs.btrfs', '-q', '-f'],
}

/** The mounted disks, innermost last. */
const mounted = new Set<PowerCutDisk>()
let isCleaning = false

/** Unmounts before other exit listeners remove the folders. */
function cleanUpAtExit(): void {
  if (isCleaning) return
  isCleaning = true
  process.prependListener('exit', () => {
    for (const disk of [...mounted].reverse()) disk.dispose()
  })
}

const has = (program: string): boolean => {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Why power cuts cannot be tried on this machine; null if they can. */
export function powerCutProblem(): string | null {
  if (process.platform !== 'linux') return 'Power cuts are tried on Linux alone'
  if (process.getuid?.() !== 0) return 'Only root can mount the disks whose power is cut'
  const missing = ['losetup', 'mount', 'umount', 'xfs_io', 'mkfs.ext4'].filter((program) => !has(program))
  return missing.length === 0 ? null : `Programs are missing: ${missing.join(', ')}`
}

/** The kinds of disks that this machine can create, and the others with the programs they lack. */
export function diskKinds(): { kinds: DiskKind[]; leftOut: string[] } {
  const required: Record<DiskKind, string[]> = {
    ext4: [],
    xfs: ['mkfs.xfs'],
    // A cut copies its image, which XFS does in one step.
    btrfs: ['mkfs.btrfs', 'mkfs.xfs'],
  }
  const all = Object.keys(required) as DiskKind[]
  const missing = (kind: DiskKind) => required[kind].filter((program) => !has(program))
  return {
    kinds: all.filter((kind) => missing(kind).length === 0),
    leftOut: all.flatMap((kind) =>
      missing(kind).length === 0 ? [] : [`${kind} (no ${missing(kind).join(', ')})`],
    ),
  }
}

/** A disk in a file whose power can be cut, which loses everything that is not durable. */
export class PowerCutDisk {
  /** The absolute path of its mount point. */
  readonly path: string
  private readonly kind: DiskKind
  private readonly folder: string
  private readonly host: PowerCutDisk | null
  private device: string | null = null

  /** @param folder the absolute path of a new folder for image and mount point */
  constructor(folder: string, kind: DiskKind, bytes = imageBytes) {
    cleanUpAtExit()
    mkdirSync(folder)
    this.kind = kind
    this.folder = folder
    this.path = join(folder, 'mounted')
    mkdirSync(this.path)
    this.host = kind === 'btrfs' ? new PowerCutDisk(join(folder, 'host'), 'xfs', hostBytes) : null
    writeFileSync(this.image, '')
    truncateSync(this.image, bytes)
    const [program, ...options] = make[kind]
    run(program, ...options, this.image)
    this.mount()
  }

  /** Discards everything that is not durable. Nothing may write to it until `restore`. */
  cutPower(): void {
    if (this.kind === 'btrfs') run('cp', '--reflink=always', this.image, `${this.image}.cut`)
    // Without -f, the log is not flushed first.
    else run('xfs_io', '-x', '-c', 'shutdown', this.path)
  }

  /** Waits until no file is open and mounts it as the cut left it. */
  async restore(): Promise<void> {
    await this.unmount()
    if (this.kind === 'btrfs') renameSync(`${this.image}.cut`, this.image)
    this.mount()
  }

  /** Unmounts and deletes it even if files are open. Never throws. */
  dispose(): void {
    quietly('umount', '--lazy', this.path)
    this.detach()
    mounted.delete(this)
    this.host?.dispose()
    rmSync(this.image, { force: true })
  }

  private get image(): string {
    return join(this.host?.path ?? this.folder, 'disk.img')
  }

  private mount(): void {
    this.device = run('losetup', '--find', '--show', this.image).trim()
    mounted.add(this)
    run('mount', this.device, this.path)
  }

  private async unmount(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        run('umount', this.path)
        break
      } catch (error) {
        // The killed process may not have closed all of its files yet.
        if (attempt === 100) throw error
        await pause(20)
      }
    }
    this.detach()
  }

  private detach(): void {
    if (this.device !== null) quietly('losetup', '--detach', this.device)
    this.device = null
  }
}

function run(program: string, ...options: string[]): string {
  return execFileSync(program, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

function quietly(program: string, ...options: string[]): void {
  try {
    run(program, ...options)
  } catch {
    // It is unmounted already.
  }
}
