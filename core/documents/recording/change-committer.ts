import { setTimeout } from 'node:timers/promises'
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

const maxRollBackAttempts = 20
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
  private readonly deps: DocumentsDeps
  private readonly changeRecorder: ChangeRecorder
  private readonly journal: Journal
  private readonly placed = new Signal<{ record: DocumentRecord; change: Change }>()

  constructor(deps: DocumentsDeps, changeRecorder: ChangeRecorder, journal: Journal) {
    this.deps = deps
    this.changeRecorder = changeRecorder
    this.journal = journal
  }

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
    { change, recorded, entry }: RecordedWrite,
    staged: Staged | null,
  ): Promise<ReturnType<ChangeCommitter['place']>> {
    const { database, events } = this.deps
    events.hide(recorded.tick)
    this.journal.begin(entry)
    try {
      await database.flushed()
      return this.place(change, staged)
    } catch (error) {
      await this.rollBack(change, recorded, entry.id)
      this.journal.giveUp(entry)
      events.show(recorded.tick)
      throw error
    }
  }

  /** Retries for a while with the document locked; the next start finishes what cannot be rolled back. */
  private async rollBack(change: Change, recorded: RecordedChange, journalId: number): Promise<void> {
    const { database, onProblem } = this.deps
    for (let attempt = 1; ; attempt++) {
      try {
        database.commitNow(() => {
          this.journal.remove(journalId)
          this.changeRecorder.undo(change, recorded)
        })
        return
      } catch (error) {
        if (attempt === maxRollBackAttempts) {
          onProblem(
            `A refused write of ${change.after.path} could not be rolled back; the next start finishes it`,
            error,
          )
          return
        }
        await setTimeout(rollBackRetryMs)
      }
    }
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
