import { posix } from 'node:path'
import type { FileStamp, Tree } from '../../data/tree/index.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
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

const keptName = /^(\d{13,15})-/

interface TrashUsage {
  files: number
  bytes: number
  lookedMs: number
}

/** Keeps replaced files for 30 days, since permission to write is not permission to destroy. */
export class ReplacedFiles {
  private readonly tree: Tree
  private readonly clock: Clock
  private readonly held = new Map<string, TrashUsage>()

  constructor({ tree, clock }: Pick<SharedDeps, 'tree' | 'clock'>) {
    this.tree = tree
    this.clock = clock
  }

  /** An empty file is not retained. @param displaced its name in `.workroom/tmp` @throws DiskError */
  async retain(where: MountLocation, displaced: string, stamp: FileStamp): Promise<void> {
    if (stamp.size === 0) {
      this.tree.discard(displaced)
      return
    }
    const path = this.freePath(where)
    this.tree.placeNew({ name: displaced, stamp }, path)
    this.count(folderOf(where), stamp.size)
    await this.tree.flush(path)
  }

  /** @throws DiskError */
  async moveToTrash(where: MountLocation): Promise<void> {
    const path = this.freePath(where)
    const { size } = this.tree.move(homePathAt(where), path)
    this.count(folderOf(where), size)
    await this.tree.flush(path)
  }

  private freePath(where: MountLocation): string {
    const name = `${this.clock.now()}-${extensionOf(posix.basename(where.path))}`
    for (let n = 1; ; n++) {
      const candidate = `${folderOf(where)}/${numberedName(name, n)}`
      if (this.tree.statAnySize(candidate).kind === 'missing') return candidate
    }
  }

  private count(folder: string, bytes: number): void {
    const held = this.held.get(folder)
    if (held) {
      held.files += 1
      held.bytes += bytes
    }
    const isKnown = held !== undefined && this.clock.now() - held.lookedMs < checkIntervalMs
    if (!isKnown || held.files > maxFiles || held.bytes > maxBytes) this.trim(folder)
  }

  private trim(folder: string): void {
    const oldBeforeMs = this.clock.retentionCutoff(trashMs)
    const files = this.filesIn(folder)
    const isTooMuch = files.length > maxFiles || files.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes
    const share = isTooMuch ? shareAfterTrim : 1
    const held: TrashUsage = { files: 0, bytes: 0, lookedMs: this.clock.now() }
    let isFull = false
    for (const { path, bytes, keptMs } of files) {
      const isMore = held.files >= maxFiles * share || held.bytes + bytes > maxBytes * share
      isFull ||= isMore && held.files > 0
      if (isFull || keptMs < oldBeforeMs) this.tree.remove(path)
      else {
        held.files += 1
        held.bytes += bytes
      }
    }
    this.held.set(folder, held)
  }

  /** Newest first. */
  private filesIn(folder: string): { path: string; bytes: number; keptMs: number }[] {
    return (this.tree.names(folder) ?? []).reverse().flatMap((name) => {
      const keptMs = Number(keptName.exec(name)?.[1] ?? Number.NaN)
      if (Number.isNaN(keptMs)) return []
      const path = `${folder}/${name}`
      const stat = this.tree.statAnySize(path)
      return [{ path, bytes: stat.kind === 'file' ? stat.stamp.size : 0, keptMs }]
    })
  }
}

/** Programs often replace files with ignored names, which must not evict other files. */
const folderOf = ({ project, path }: MountLocation): string =>
  `trash/${project.folder}/${isUnlisted(path) ? 'hidden-files' : 'files'}`
