import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { type Displaced, type FileContent, sameStamp } from '../../../data/tree/index.ts'
import { mapConcurrently } from '../../concurrency/map-concurrently.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { revisionOf } from '../../revisions/revision.ts'
import { analyseDiskFile } from '../content/analysis.ts'
import type { DocumentsDeps } from '../deps/deps.ts'

/** A save in place has ended once the file has not changed for this long. */
const quietMs = 150
/** For an empty file, whose bytes are likely to follow. */
const emptyMs = 2000
/** A file that keeps changing is saved as a revision after this time. */
const maxUnstableMs = 2000
/** How long an unchanged file is watched, since an editor may have it open. */
const openFileMs = 1000
const retryAfterMs = 10_000
/** An equal modification time may hide a change within this time. */
const granularityMs = 20
/** With more displaced files than this, or more bytes, none are watched for open editors. */
const maxWaiting = 1000
const maxWaitingBytes = 64 * 1024 * 1024

/** A file that a write replaced. */
export interface DisplacedFile extends Displaced {
  documentId: string
  /** The revision that replaced it. */
  revision: string
  /** When it was set aside, Unix milliseconds by the disk's clock. */
  atMs: number
}

interface PendingCheck {
  files: DisplacedFile[]
  onSettled: () => void
}

/**
 * Watches files that writes replaced. If an editor saved at that moment, or had the file open and continued to
 * write, its bytes become a revision before ours, so that neither is lost.
 */
export class DisplacedFiles {
  private readonly deps: DocumentsDeps
  private readonly locks: Locks
  private waiting: PendingCheck[] = []
  private timer: NodeJS.Timeout | null = null
  private settling: Promise<void> = Promise.resolve()
  private isStopped = false
  /** Whether the last check left no files that may still be written to. */
  private isStable = false

  constructor(deps: DocumentsDeps, locks: Locks) {
    this.deps = deps
    this.locks = locks
  }

  /** @param onSettled called once all new bytes in them are revisions */
  add(files: DisplacedFile[], onSettled: () => void): void {
    this.waiting.push({ files, onSettled })
    this.scheduleCheck(quietMs)
  }

  /**
   * Checks the files that are stable.
   * @param isHurried does not wait for editors that may have an unchanged file open
   */
  checkAll({ isHurried = false } = {}): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.settling = this.settling.then(() => this.settleWaiting(isHurried))
    return this.settling
  }

  /** Checks all, waiting for a save in progress. What fails is left for the next start. */
  async stop(): Promise<void> {
    this.isStopped = true
    do {
      await this.checkAll({ isHurried: true })
      if (this.isStable) await new Promise((resolve) => setTimeout(resolve, quietMs))
    } while (this.isStable)
  }

  private scheduleCheck(afterMs: number): void {
    if (!this.isStopped) this.timer ??= setTimeout(() => this.checkAll(), afterMs).unref()
  }

  private async settleWaiting(isHurried: boolean): Promise<void> {
    const all = this.waiting
    this.waiting = []
    this.isStable = false
    const isCrowded = tooManyDisplacedError()
    // The newest are the likeliest to be open in an editor.
    await mapConcurrently(all.toReversed(), async (one) => {
      try {
        const files: DisplacedFile[] = []
        for (const file of one.files) {
          if (!(await this.checkOne(file, isHurried || isCrowded(file)))) files.push(file)
        }
        if (files.length === 0) return one.onSettled()
        this.isStable = true
        this.waiting.push({ ...one, files })
      } catch (error) {
        this.scheduleRetry(one, error)
      }
    })
    if (this.isStable) this.scheduleCheck(quietMs)
  }

  /** The journal's row remains, for a later attempt or the next start. */
  private scheduleRetry(one: PendingCheck, error: unknown): void {
    const path = this.deps.documents.find(one.files[0]!.documentId)?.path
    const problem = `An edit saved in ${path} during a write is not recorded yet; retrying`
    this.deps.onProblem(problem, error)
    if (!this.isStopped) setTimeout(() => this.add(one.files, one.onSettled), retryAfterMs).unref()
  }

  /** @returns false if the file may still be written to @throws what the disk or the database throws */
  private async checkOne(file: DisplacedFile, isHurried: boolean): Promise<boolean> {
    const { tree, diskNow } = this.deps
    const now = tree.stagedStamp(file.name)
    const isAsExpected = now !== null && file.wasExpected && file.stamp && sameStamp(now, file.stamp)
    const ageMs = diskNow() - file.atMs
    if (now !== null && !(isAsExpected && isHurried) && ageMs < maxUnstableMs) {
      const restedMs = Math.min(ageMs, Math.abs(diskNow() - now.mtimeMs))
      const restMs = isAsExpected ? openFileMs : now.size === 0 ? emptyMs : quietMs
      if (restedMs < restMs) return false
    }
    const isRacy = now !== null && now.mtimeMs + granularityMs >= file.atMs
    if (!isAsExpected || isRacy) await this.saveAsRevision(file)
    tree.discard(file.name)
    return true
  }

  private async saveAsRevision({ name, documentId, revision }: DisplacedFile): Promise<void> {
    const { contents, documents, tree } = this.deps
    const content = tree.readStaged(name)
    // A chmod displaces a file too, with known bytes.
    if (!content || contents.find(documentId, revisionOf(content.bytes))) return
    await this.locks.run([documentId], async () => {
      const record = documents.find(documentId)
      if (record) await this.insertBelow(revision, record, content)
    })
  }

  /** A document that was purged since has no revisions. */
  private async insertBelow(
    revision: string,
    record: DocumentRecord,
    { bytes, stamp }: FileContent,
  ): Promise<void> {
    const { clock, contents, database, diskMember, revisions } = this.deps
    const before = contents.find(record.id, record.revision)
    const analysis = await analyseDiskFile(this.deps, bytes, record, before, 'answering')
    await database.commit(() => {
      const ours = revisions.find(record.id, revision)
      if (!ours) return
      const above = revisions.idsFrom(record.id, ours.id).map((id) => revisions.get(id)!)
      for (const { id } of above) revisions.remove(id)
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
      for (const { id: _, ...again } of above) revisions.add(again)
    })
  }
}

/** Tells for each displaced file in turn whether too many precede it. */
function tooManyDisplacedError(): (file: DisplacedFile) => boolean {
  let [count, bytes] = [0, 0]
  return ({ stamp }) => {
    count += 1
    bytes += stamp?.size ?? 0
    return count > maxWaiting || bytes > maxWaitingBytes
  }
}
