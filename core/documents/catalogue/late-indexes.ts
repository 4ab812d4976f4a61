import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { slugOf } from '../../text/slug.ts'
import { MultiMap, ScopedMultiMap } from './multi-map.ts'
import { groupOf, type NameGroup } from './name-groups.ts'

/** Indexes that a start does not need: built in time slices, or all at once by the first look-up. */
export class LateIndexes {
  private readonly bySlug = new ScopedMultiMap()
  private readonly byInode = new MultiMap<number>()
  private readonly byRevision = new MultiMap()
  private loadedIds: string[] = []
  private addedCount = 0

  constructor(private readonly records: ReadonlyMap<string, DocumentRecord>) {}

  addLater({ id }: DocumentRecord): void {
    this.loadedIds.push(id)
  }

  async addLoaded(): Promise<void> {
    // Short, because no request waits for it.
    const slice = new TimeSlice(1)
    while (this.loadedIds.length > 0) {
      while (slice.isOver) await slice.pause()
      this.addNext()
    }
  }

  /** Idempotent. */
  add(record: DocumentRecord): void {
    const { id, title, revision, stamp } = record
    this.bySlug.add(groupOf(record), slugOf(title), id)
    this.byRevision.add(revision, id)
    if (stamp) this.byInode.add(stamp.ino, id)
  }

  remove(record: DocumentRecord): void {
    const { id, title, revision, stamp } = record
    this.bySlug.remove(groupOf(record), slugOf(title), id)
    this.byRevision.remove(revision, id)
    if (stamp) this.byInode.remove(stamp.ino, id)
  }

  withSlug(group: NameGroup, slug: string): Iterable<string> {
    this.addRest()
    return this.bySlug.get(group, slug)
  }

  withInode(ino: number): Iterable<string> {
    this.addRest()
    return this.byInode.get(ino)
  }

  withRevision(revision: string): Iterable<string> {
    this.addRest()
    return this.byRevision.get(revision)
  }

  private addRest(): void {
    while (this.loadedIds.length > 0) this.addNext()
  }

  /** Adds the current record, which may have changed or been removed since it was loaded. */
  private addNext(): void {
    const record = this.records.get(this.loadedIds[this.addedCount]!)
    if (record) this.add(record)
    this.addedCount += 1
    if (this.addedCount < this.loadedIds.length) return
    this.loadedIds = []
    this.addedCount = 0
  }
}
