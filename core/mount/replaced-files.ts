import { posix } from 'node:path'
import type { FileStamp, Tree } from '../../data/tree/index.ts'
import { trashMs } from '../documents/model/retention.ts'
import { extensionOf, numberedName } from '../files/file-names.ts'
import type { Clock } from '../time/clock.ts'
import { homePathAt, isUnlisted, type MountLocation } from './mount-paths.ts'

/** Limits per project; the newest files are retained. */
const maxBytes = 1024 * 1024 * 1024
const maxFiles = 1000
/** The share that trimming leaves, so that it runs rarely. */
const shareAfterTrim = 0.9
const checkIntervalMs = 60 * 60 * 1000

const namePattern = /^(\d{13,15})-/

interface TrashUsage {
  files: number
  bytes: number
  checkedMs: number
}

/** Keeps replaced files for 30 days, since permission to write is not permission to destroy. */
export class ReplacedFiles {
  private readonly usageByFolder = new Map<string, TrashUsage>()

  constructor(
    private readonly tree: Tree,
    private readonly clock: Clock,
  ) {}

  /** An empty file is not retained. @param displaced its name in `.workroom/tmp` @throws DiskError */
  async retain(location: MountLocation, displaced: string, stamp: FileStamp): Promise<void> {
    if (stamp.size === 0) {
      this.tree.discard(displaced)
      return
    }
    const path = this.availablePath(location)
    this.tree.placeNew({ name: displaced, stamp }, path)
    this.count(folderOf(location), stamp.size)
    await this.tree.flush(path)
  }

  /** @throws DiskError */
  async moveToTrash(location: MountLocation): Promise<void> {
    const path = this.availablePath(location)
    const { size } = this.tree.move(homePathAt(location), path)
    this.count(folderOf(location), size)
    await this.tree.flush(path)
  }

  private availablePath(location: MountLocation): string {
    const name = `${this.clock.now()}-${extensionOf(posix.basename(location.path))}`
    for (let n = 1; ; n++) {
      const candidate = `${folderOf(location)}/${numberedName(name, n)}`
      if (this.tree.statAnySize(candidate).kind === 'missing') return candidate
    }
  }

  private count(folder: string, bytes: number): void {
    const usage = this.usageByFolder.get(folder)
    if (usage) {
      usage.files += 1
      usage.bytes += bytes
    }
    const isKnown = usage !== undefined && this.clock.now() - usage.checkedMs < checkIntervalMs
    if (!isKnown || usage.files > maxFiles || usage.bytes > maxBytes) this.trim(folder)
  }

  private trim(folder: string): void {
    const oldBeforeMs = this.clock.retentionCutoff(trashMs)
    const files = this.filesIn(folder)
    const isOverLimit = files.length > maxFiles || files.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes
    const share = isOverLimit ? shareAfterTrim : 1
    const usage: TrashUsage = { files: 0, bytes: 0, checkedMs: this.clock.now() }
    let isFull = false
    for (const { path, bytes, replacedMs } of files) {
      const exceedsLimit = usage.files >= maxFiles * share || usage.bytes + bytes > maxBytes * share
      isFull ||= exceedsLimit && usage.files > 0
      if (isFull || replacedMs < oldBeforeMs) this.tree.remove(path)
      else {
        usage.files += 1
        usage.bytes += bytes
      }
    }
    this.usageByFolder.set(folder, usage)
  }

  /** Newest first. */
  private filesIn(folder: string): { path: string; bytes: number; replacedMs: number }[] {
    return (this.tree.names(folder) ?? []).reverse().flatMap((name) => {
      const replacedMs = Number(namePattern.exec(name)?.[1] ?? Number.NaN)
      if (Number.isNaN(replacedMs)) return []
      const path = `${folder}/${name}`
      const stat = this.tree.statAnySize(path)
      return [{ path, bytes: stat.kind === 'file' ? stat.stamp.size : 0, replacedMs }]
    })
  }
}

/** Programs often replace files with ignored names, which must not evict other files. */
const folderOf = ({ project, path }: MountLocation): string =>
  `trash/${project.folder}/${isUnlisted(path) ? 'hidden-files' : 'files'}`
