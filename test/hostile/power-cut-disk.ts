import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export type DiskKind = 'ext4' | 'xfs' | 'btrfs'

const mebibyte = 1024 * 1024
const imageBytes = 384 * mebibyte
/** Of the disk that the images of btrfs lie on. */
const hostBytes = 2048 * mebibyte

const make: Record<DiskKind, [program: string, ...options: string[]]> = {
  ext4: ['mkfs.ext4', '-q', '-F'],
  xfs: ['mkfs.xfs', '-q', '-f'],
  btrfs: ['mkfs.btrfs', '-q', '-f'],
}

/** The disks that are mounted, innermost last. */
const mounted = new Set<PowerCutDisk>()
let isCleaning = false

/** Before all others: who removes folders then finds nothing mounted in them. */
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

/** What keeps the power from being cut on this machine; null: nothing. */
export function powerCutProblem(): string | null {
  if (process.platform !== 'linux') return 'Power cuts are tried on Linux alone'
  if (process.getuid?.() !== 0) return 'Only root can mount the disks whose power is cut'
  const missing = ['losetup', 'mount', 'umount', 'xfs_io', 'mkfs.ext4'].filter((program) => !has(program))
  return missing.length === 0 ? null : `Programs are missing: ${missing.join(', ')}`
}

/** The kinds of disks that can be made here; the others with what they lack. */
export function diskKinds(): { kinds: DiskKind[]; leftOut: string[] } {
  const lacks: Record<DiskKind, string[]> = {
    ext4: [],
    xfs: ['mkfs.xfs'],
    // Its images are copied at the moment of the cut, which XFS does in one step.
    btrfs: ['mkfs.btrfs', 'mkfs.xfs'],
  }
  const all = Object.keys(lacks) as DiskKind[]
  const missing = (kind: DiskKind) => lacks[kind].filter((program) => !has(program))
  return {
    kinds: all.filter((kind) => missing(kind).length === 0),
    leftOut: all.flatMap((kind) =>
      missing(kind).length === 0 ? [] : [`${kind} (no ${missing(kind).join(', ')})`],
    ),
  }
}

/** A disk in a file, whose power can be cut: what was not made durable is gone then. */
export class PowerCutDisk {
  /** Absolute path at which it is mounted. */
  readonly path: string
  private readonly kind: DiskKind
  private readonly folder: string
  private readonly host: PowerCutDisk | null
  private device: string | null = null

  /** @param folder absolute path of a new folder, for the image and the mount */
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

  /** Throws away what is not on the disk at this moment. Nothing may write to it until `restore`. */
  cut(): void {
    if (this.kind === 'btrfs') run('cp', '--reflink=always', this.image, `${this.image}.cut`)
    // Without -f the log is not flushed first.
    else run('xfs_io', '-x', '-c', 'shutdown', this.path)
  }

  /** Mounts it as the cut has left it, once nobody has it open. */
  async restore(): Promise<void> {
    await this.unmount()
    if (this.kind === 'btrfs') renameSync(`${this.image}.cut`, this.image)
    this.mount()
  }

  /** Takes it away for good, whoever has it open. Never fails. */
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
        // The process that was killed may not have let go of all of its files.
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
    // It was gone already.
  }
}
