import { setTimeout as pause } from 'node:timers/promises'
import { failureReason } from '../../../data/failures.ts'
import { Signal } from '../../../data/signal.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { JournalEntry } from '../../../data/tables/journal.ts'
import { type Displaced, type FileStamp, type Staged, sameContent } from '../../../data/tree/index.ts'
import type { Flush } from '../../../data/write-queue.ts'
import { writeUnavailableError } from '../../errors/unavailable.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { Change } from '../model/change.ts'
import { filePathOf } from '../model/document-paths.ts'
import type { Journal } from '../storage/journal.ts'
import type { ChangeRecorder, RecordedChange } from './change-recorder.ts'

/** While the document is locked and the request waits. */
const maxRollBackAttempts = 6
const rollBackRetryMs = 500

interface RecordedWrite {
  change: Change
  recorded: RecordedChange
  entry: JournalEntry
}

/**
 * Makes changes durable by the order of steps (`docs/architecture.md#durability`): bytes to `.workroom/tmp`,
 * commit, flush of the log, rename, catalogue, notifications. Rename and catalogue update share a turn; until
 * then requests find the old document, since its event is hidden and its lock is held.
 */
export class ChangeCommitter {
  private readonly placed = new Signal<{ record: DocumentRecord; change: Change }>()
  /** Refused writes that could not be rolled back yet. Their events stay hidden. */
  private readonly refused = new Set<RecordedWrite>()
  private rollingBack: Promise<void> | null = null
  private retryTimer: NodeJS.Timeout | null = null

  constructor(
    private readonly deps: DocumentsDeps,
    private readonly changeRecorder: ChangeRecorder,
    private readonly journal: Journal,
  ) {}

  onCommitted(listener: (record: DocumentRecord, change: Change) => void): void {
    this.placed.listen(({ record, change }) => listener(record, change))
  }

  /** `compose` runs inside the commit. `flush` `inCommit`: no request is served until the file is placed. */
  async commitAndPlace(
    bytes: Uint8Array | null,
    compose: () => Change,
    flush: Flush = 'afterCommit',
  ): Promise<DocumentRecord> {
    const { database, events } = this.deps
    const staged = bytes && this.stage(bytes)
    try {
      if (this.refused.size > 0) await this.rollBackRefused()
      const placed = await database.commit(() => this.record(compose(), staged), flush)
      const { change, entry } = placed
      const { stamp, displaced = [] } = await this.placeDurably(placed, staged)
      // In the same turn as the rename.
      const atMs = this.deps.diskNow()
      const record = stamp ? { ...change.after, stamp: { ...stamp, lookedMs: atMs } } : change.after
      this.updateCatalogue(record, change)
      const { documentId, revision, previous } = entry
      this.journal.markPlaced(
        entry,
        displaced.map((file) => ({ ...file, documentId, revision, previous, atMs })),
      )
      events.show(placed.recorded.tick)
      database.noteChange()
      return record
    } catch (error) {
      if (staged) this.deps.tree.discard(staged.name)
      throw writeUnavailableError(error)
    }
  }

  /** Commits all or none. A response has to wait for the database's `flushed`. */
  async commitFromDisk(
    compose: () => Change[],
    priority: 'answering' | 'background' = 'answering',
  ): Promise<DocumentRecord[]> {
    const { database } = this.deps
    if (this.refused.size > 0) await this.rollBackRefused()
    const record = () => {
      const changes = compose().map((change) => this.deps.metadata.withCurrentMetadata(change))
      for (const { before, after } of changes) {
        if (before && before.path !== after.path) this.deps.documents.vacate(before.id)
      }
      const deletionsFirst = changes.toSorted(
        (a, b) => Number(b.after.deletedMs !== null) - Number(a.after.deletedMs !== null),
      )
      for (const change of deletionsFirst) this.changeRecorder.record(change)
      return changes
    }
    const changes = await (priority === 'background'
      ? database.commitInBackground(record)
      : database.commit(record, 'afterCommit'))
    for (const change of changes) this.updateCatalogue(change.after, change)
    return changes.map(({ after }) => after)
  }

  private stage(bytes: Uint8Array): Staged {
    try {
      return this.deps.tree.stage(bytes)
    } catch (error) {
      throw writeUnavailableError(error)
    }
  }

  private record(composed: Change, staged: Staged | null): RecordedWrite {
    const change = this.deps.metadata.withCurrentMetadata(composed)
    const { before, after } = change
    // Without a stamp until the file is placed, so that a start compares bytes.
    const recorded = this.changeRecorder.record({ ...change, after: { ...after, stamp: null } })
    const path = this.fileOf(after)
    const pathBefore = before && this.fileOf(before)
    const entry = this.journal.append({
      documentId: after.id,
      path,
      vacated: pathBefore === path ? null : pathBefore,
      revision: after.revision,
      previous: pathBefore === null ? null : before!.revision,
      staged: staged?.name ?? null,
    })
    return { change, recorded, entry }
  }

  private async placeDurably(
    write: RecordedWrite,
    staged: Staged | null,
  ): Promise<ReturnType<ChangeCommitter['place']>> {
    const { database, events } = this.deps
    events.hide(write.recorded.tick)
    this.journal.begin(write.entry)
    try {
      await database.flushed()
      return this.place(write.change, staged)
    } catch (error) {
      await this.rollBack(write)
      throw error
    }
  }

  /** Retries for a while with the document locked, then every half second and before each other write. */
  private async rollBack(write: RecordedWrite): Promise<void> {
    const { database, onProblem } = this.deps
    for (let attempt = 1; ; attempt++) {
      try {
        database.commitNow(() => this.undo(write))
        this.finishRollBack(write)
        return
      } catch (error) {
        if (attempt === maxRollBackAttempts) {
          const { path } = write.change.after
          onProblem(`A refused write of ${path} could not be rolled back; this is tried again`, error)
          this.refused.add(write)
          this.retryLater()
          return
        }
        await pause(rollBackRetryMs)
      }
    }
  }

  private undo({ change, recorded, entry }: RecordedWrite): void {
    this.journal.remove(entry.id)
    this.changeRecorder.undo(change, recorded)
  }

  private finishRollBack(write: RecordedWrite): void {
    this.refused.delete(write)
    this.journal.giveUp(write.entry)
    this.deps.events.show(write.recorded.tick)
  }

  /** For a write that may be of the same documents. @throws errors of the disk, which then refuses that write as well */
  async rollBackRefused(): Promise<void> {
    this.rollingBack ??= this.rollBackAll().finally(() => {
      this.rollingBack = null
    })
    await this.rollingBack
  }

  private async rollBackAll(): Promise<void> {
    const { database, onProblem } = this.deps
    for (const write of this.refused) {
      try {
        await database.commit(() => this.undo(write))
      } catch (error) {
        if (failureReason(error) !== null) throw error
        const { path } = write.change.after
        onProblem(`A refused write of ${path} could not be rolled back; the next start finishes it`, error)
      }
      this.finishRollBack(write)
    }
  }

  private retryLater(): void {
    this.retryTimer ??= setTimeout(() => {
      this.retryTimer = null
      // Failures are reported by the database.
      this.rollBackRefused().catch(() => this.retryLater())
    }, rollBackRetryMs).unref()
  }

  /** Tries once more to roll back refused writes, which the next start would finish. */
  async stop(): Promise<void> {
    if (this.retryTimer) clearTimeout(this.retryTimer)
    await this.rollBackRefused().catch(() => {})
    if (this.retryTimer) clearTimeout(this.retryTimer)
  }

  private place(
    { before, after }: Change,
    staged: Staged | null,
  ): { stamp: FileStamp | null; displaced?: Displaced[] } {
    const { tree } = this.deps
    const from = before && this.fileOf(before)
    const to = this.fileOf(after)
    const seen = before?.deletedMs === null ? before.stamp : null
    if (to === null) {
      if (from) tree.remove(from)
      return { stamp: null }
    }
    if (from === null || from === to) {
      if (!staged) return { stamp: seen }
      return tree.place(staged, to, from ? seen : null, { isJournaled: true })
    }
    const moved = tree.stat(from).kind === 'missing' ? null : tree.move(from, to)
    if (!staged) return { stamp: moved }
    try {
      // A rename changes ctime alone: an editor's save changes size, inode or mtime.
      const isUnchanged = moved && seen && sameContent(moved, seen)
      return tree.place(staged, to, isUnchanged ? moved : seen, { isJournaled: true })
    } catch (error) {
      if (moved) tree.move(to, from)
      throw error
    }
  }

  private fileOf(record: DocumentRecord): string | null {
    return filePathOf(this.deps.projects.find(record.projectId)!, record)
  }

  /** For a document moved with its folder. In the turn of the commit, the change has current metadata. */
  updateCatalogueAfterMove(change: Change): void {
    const { catalogue } = this.deps
    const { before, after } = change
    if (after.deletedMs !== null) catalogue.remove(after.id)
    else if (before?.projectId === after.projectId) catalogue.relocate(after)
    else catalogue.put(after)
    this.notifyListeners(after, change)
  }

  private updateCatalogue(record: DocumentRecord, change: Change): void {
    const { metadata, catalogue, contents } = this.deps
    const { content, before, via } = change
    const isNewOnDisk = before === null && via === 'disk'
    // A new file on the disk may be one of very many, few of which are read soon.
    if (content && !isNewOnDisk) {
      contents.put(record.id, record.revision, {
        stored: Buffer.from(content.stored),
        digest: content.digest,
      })
    }
    // A new file on the disk was committed in this turn, so its metadata is current.
    if (record.deletedMs === null) catalogue.put(isNewOnDisk ? record : metadata.latest(record))
    else catalogue.remove(record.id)
    this.notifyListeners(record, change)
  }

  private notifyListeners(record: DocumentRecord, change: Change): void {
    this.placed.emit({ record, change })
  }
}
