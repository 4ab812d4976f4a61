import type { Database } from '../../data/database.ts'
import type { RoomAttachmentRow, RoomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import { DiskError, type Tree } from '../../data/tree/index.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import { removeRoomFile, roomAttachmentPath } from './room-attachment-files.ts'
import { type RoomAttachmentStore, unusedForMs } from './room-attachment-store.ts'

interface RoomAttachmentCleanupDeps {
  attachments: RoomAttachmentStore
  clock: Clock
  database: Database
  onProblem: (message: string, error?: unknown) => void
  roomAttachments: RoomAttachmentsTable
  tree: Tree
}

const batchSize = 100
const retryMs = 60 * 60 * 1000

/** Rows stay until their file is gone, so that the next start continues. */
export class RoomAttachmentCleanup {
  private readonly deps: RoomAttachmentCleanupDeps
  private readonly timer: DueTimer

  constructor(deps: RoomAttachmentCleanupDeps) {
    this.deps = deps
    this.timer = new DueTimer(
      deps.clock,
      () => this.cleanUp(),
      (error) =>
        deps.onProblem('Deleted attachments of rooms could not be removed; this is tried again', error),
    )
    deps.attachments.onDue((dueMs) => this.timer.dueAt(dueMs))
  }

  start(): void {
    this.timer.dueAt(this.deps.clock.now())
  }

  stop(): Promise<void> {
    return this.timer.stop()
  }

  /** Returns when something is due next, Unix milliseconds, or null. */
  private async cleanUp(): Promise<number | null> {
    const { clock, roomAttachments } = this.deps
    await this.deleteUnused()
    let isStuck = false
    for (let rows = roomAttachments.deleted('', batchSize); rows.length > 0; ) {
      const removed = await this.removeFiles(rows)
      isStuck ||= removed.length < rows.length
      rows = roomAttachments.deleted(rows.at(-1)!.id, batchSize)
    }
    const firstMs = roomAttachments.firstUnusedMs()
    const dueMs = firstMs === null ? Number.POSITIVE_INFINITY : firstMs + unusedForMs + 1
    const retryAtMs = clock.now() + retryMs
    if (isStuck) return Math.min(dueMs, retryAtMs)
    if (firstMs === null) return null
    // What is due only by the wall clock waits for elapsed time.
    return dueMs > clock.now() ? dueMs : retryAtMs
  }

  private async deleteUnused(): Promise<void> {
    const { clock, database, roomAttachments } = this.deps
    const cutoffMs = clock.retentionCutoff(unusedForMs)
    const firstMs = roomAttachments.firstUnusedMs()
    if (firstMs === null || firstMs >= cutoffMs) return
    await database.commit(() => roomAttachments.markDeletedUnused(cutoffMs, clock.now()))
  }

  /** Returns the rows whose files are gone. */
  private async removeFiles(rows: readonly RoomAttachmentRow[]): Promise<RoomAttachmentRow[]> {
    const { database, onProblem, roomAttachments, tree } = this.deps
    const removed: RoomAttachmentRow[] = []
    for (const row of rows) {
      const path = roomAttachmentPath(row)
      try {
        await removeRoomFile(tree, path)
        removed.push(row)
      } catch (error) {
        if (!(error instanceof DiskError)) throw error
        onProblem(`The deleted attachment ${path} is still on the disk; this is tried again`, error)
      }
    }
    await database.commit(() => {
      for (const { id } of removed) roomAttachments.remove(id)
    })
    return removed
  }
}
