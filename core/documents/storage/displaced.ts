import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import { Signal } from '../../../data/signal.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { type Displaced, type FileContent, type FileStamp, sameStamp } from '../../../data/tree/index.ts'
import { mapConcurrently } from '../../concurrency/map-concurrently.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { revisionOf } from '../../revisions/revision.ts'
import { analyseDiskFile } from '../content/analysis.ts'
import type { DocumentsDeps } from '../deps/deps.ts'

const quietMs = 150
/** For an empty file, whose bytes are likely to follow. */
const emptyMs = 2000
const maxUnstableMs = 2000
const openFileMs = 1000
const retryAfterMs = 10_000
/** An equal modification time may hide a change within this time. */
const granularityMs = 20
/** Above these limits, no file is watched for open editors. */
const maxWaiting = 1000
const maxWaitingBytes = 64 * 1024 * 1024

export interface DisplacedFile extends Displaced {
  documentId: string
  revision: string
  /** The revision that the file was known to have; null if there was none. */
  previous: string | null
  /** Unix milliseconds, by the disk's clock. */
  atMs: number
}

/** A save in a file while a write replaced it, now that it is a revision. */
export interface FoundSave {
  record: DocumentRecord
  revision: string
  bytes: Uint8Array
  memberId: string
  /** The revision that it was written on; null if there was none. */
  base: string | null
  /** Keeps the file until this resolves, so that a start after a crash finds it again. */
  keepUntil(done: Promise<void>): void
}

interface PendingCheck {
  files: DisplacedFile[]
  keptUntil: Promise<void>[]
  onChecked: () => void
  /** By the disk's clock; an earlier check could decide nothing. */
  dueMs: number
}

/** What an editor saves in a replaced file becomes a revision before the write's, so that neither is lost. */
export class DisplacedFiles {
  private waiting: PendingCheck[] = []
  private timer: NodeJS.Timeout | null = null
  private checking: Promise<void> = Promise.resolve()
  private isStopped = false
  private hasUnstable = false
  readonly found = new Signal<FoundSave>()

  constructor(
    private readonly deps: DocumentsDeps,
    private readonly locks: Locks,
  ) {}

  /** @param onChecked called once all new bytes in the files are revisions */
  add(files: DisplacedFile[], onChecked: () => void): void {
    const isUnchanged = files.every(({ wasExpected }) => wasExpected)
    this.waiting.push({
      files,
      keptUntil: [],
      onChecked,
      dueMs: this.deps.diskNow() + (isUnchanged ? openFileMs : quietMs),
    })
    this.scheduleCheck(quietMs)
  }

  /** @param isHurried does not wait for editors that may have an unchanged file open */
  checkAll({ isHurried = false } = {}): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.checking = this.checking.then(() => this.checkWaiting(isHurried))
    return this.checking
  }

  stop(): Promise<void> {
    this.isStopped = true
    return this.checkUntilStable()
  }

  /** Checks all files, and waits for saves in progress. */
  async checkUntilStable(): Promise<void> {
    for (;;) {
      await this.checkAll({ isHurried: true })
      if (!this.hasUnstable) return
      await new Promise((resolve) => setTimeout(resolve, quietMs))
    }
  }

  private scheduleCheck(afterMs: number): void {
    if (!this.isStopped) this.timer ??= setTimeout(() => this.checkAll(), afterMs).unref()
  }

  private async checkWaiting(isHurried: boolean): Promise<void> {
    const due = this.takeDue(isHurried)
    this.hasUnstable = false
    const slice = new TimeSlice()
    await mapConcurrently(due, async ({ check, isHurried }) => {
      try {
        const files: DisplacedFile[] = []
        for (const file of check.files) {
          while (slice.isOver) await slice.pause()
          const now = this.deps.tree.stagedStamp(file.name)
          if (!this.isFileStable(file, now, isHurried)) files.push(file)
          else check.keptUntil.push(...(await this.ingest(file, now)))
        }
        if (files.length === 0) return this.finish(check)
        this.hasUnstable = true
        this.waiting.push({ ...check, files, dueMs: this.deps.diskNow() + quietMs })
      } catch (error) {
        this.scheduleRetry(check, error)
      }
    })
    if (this.waiting.length > 0) this.scheduleCheck(quietMs)
  }

  private takeDue(isHurried: boolean): { check: PendingCheck; isHurried: boolean }[] {
    const nowMs = this.deps.diskNow()
    const isOverLimit = overLimitCounter()
    // The newest are the likeliest to be open in an editor.
    const all = this.waiting.toReversed().map((check) => {
      const isNow = check.files.map(isOverLimit).includes(true) || isHurried
      // A time far in the future was computed before the clock was set back.
      const isDue = isNow || check.dueMs <= nowMs || check.dueMs > nowMs + maxUnstableMs
      return { check, isHurried: isNow, isDue }
    })
    this.waiting = all.flatMap(({ check, isDue }) => (isDue ? [] : [check])).toReversed()
    return all.filter(({ isDue }) => isDue)
  }

  private scheduleRetry(check: PendingCheck, error: unknown): void {
    const path = this.deps.documents.find(check.files[0]!.documentId)?.path
    const problem = `An edit saved in ${path} during a write is not recorded yet; retrying`
    this.deps.onProblem(problem, error)
    if (!this.isStopped) setTimeout(() => this.add(check.files, check.onChecked), retryAfterMs).unref()
  }

  private isFileStable(file: DisplacedFile, now: FileStamp | null, isHurried: boolean): boolean {
    const { diskNow } = this.deps
    const isAsExpected = isUnchanged(file, now)
    const ageMs = diskNow() - file.atMs
    if (now === null || (isAsExpected && isHurried) || ageMs >= maxUnstableMs) return true
    const stableMs = Math.min(ageMs, Math.abs(diskNow() - now.mtimeMs))
    return stableMs >= (isAsExpected ? openFileMs : now.size === 0 ? emptyMs : quietMs)
  }

  /** @returns promises until which the file must be kept */
  private async ingest(file: DisplacedFile, now: FileStamp | null): Promise<Promise<void>[]> {
    const { tree } = this.deps
    const isRacy = now !== null && now.mtimeMs + granularityMs >= file.atMs
    const keptUntil = !isUnchanged(file, now) || isRacy ? await this.saveAsRevision(file) : []
    if (keptUntil.length === 0) tree.discard(file.name)
    const discards = keptUntil.map((done) => done.then(() => tree.discard(file.name)))
    // `finish` handles failures once all files have been checked.
    for (const one of discards) one.catch(() => {})
    return discards
  }

  private finish({ keptUntil, onChecked }: PendingCheck): void {
    if (keptUntil.length === 0) onChecked()
    else void Promise.all(keptUntil).then(onChecked, () => {})
  }

  private async saveAsRevision(file: DisplacedFile): Promise<Promise<void>[]> {
    const { contents, documents, tree } = this.deps
    const { documentId } = file
    const content = tree.readStaged(file.name)
    if (!content) return []
    return this.locks.run([documentId], async () => {
      const record = documents.find(documentId)
      if (!record) return []
      const existing = contents.find(documentId, revisionOf(content.bytes))
      // A chmod displaces a file too, with known bytes.
      if (existing)
        return this.wasInserted(file, content) ? this.emitFound(file, record, content, existing.stored) : []
      const stored = await this.insertBefore(file.revision, record, content)
      return stored === null ? [] : this.emitFound(file, record, content, stored)
    })
  }

  /** Whether the bytes became a revision before a crash, so that listeners may not have been called. */
  wasInserted(
    { documentId, revision, previous }: WriteRevisions,
    { bytes }: Pick<FileContent, 'bytes'>,
  ): boolean {
    if (previous === null) return false
    const between = { older: previous, newer: revision }
    return this.deps.revisions.isFromDiskBetween(documentId, revisionOf(bytes), between)
  }

  private emitFound(
    { previous }: DisplacedFile,
    record: DocumentRecord,
    { bytes, stamp }: FileContent,
    stored: Uint8Array,
  ): Promise<void>[] {
    const keptUntil: Promise<void>[] = []
    this.found.emit({
      record,
      revision: revisionOf(bytes),
      bytes: stored,
      memberId: this.deps.diskMember(stamp.uid),
      base: previous,
      keepUntil: (done) => void keptUntil.push(done),
    })
    return keptUntil
  }

  /** @returns the bytes as stored; null if our revision is gone */
  private async insertBefore(
    revision: string,
    record: DocumentRecord,
    { bytes, stamp }: FileContent,
  ): Promise<Uint8Array | null> {
    const { clock, contents, database, diskMember, revisions } = this.deps
    const before = contents.find(record.id, record.revision)
    const analysis = await analyseDiskFile(this.deps, bytes, record, before, 'answering')
    return database.commit(() => {
      const ours = revisions.find(record.id, revision)
      if (!ours) return null
      const newer = revisions.idsFrom(record.id, ours.id).map((id) => revisions.get(id)!)
      for (const { id } of newer) revisions.remove(id)
      revisions.add({
        documentId: record.id,
        atMs: clock.now(),
        revision: analysis.revision,
        authorId: diskMember(stamp.uid),
        via: 'disk',
        bytes: analysis.stored.length,
        content: Buffer.from(analysis.compressed),
        digest: JSON.stringify(analysis.digest),
      })
      for (const { id: _, ...again } of newer) revisions.add(again)
      return analysis.stored
    })
  }
}

type WriteRevisions = Pick<DisplacedFile, 'documentId' | 'revision' | 'previous'>

const isUnchanged = ({ wasExpected, stamp }: DisplacedFile, now: FileStamp | null): boolean =>
  now !== null && wasExpected && stamp !== null && sameStamp(now, stamp)

function overLimitCounter(): (file: DisplacedFile) => boolean {
  let [count, bytes] = [0, 0]
  return ({ stamp }) => {
    count += 1
    bytes += stamp?.size ?? 0
    return count > maxWaiting || bytes > maxWaitingBytes
  }
}
