import type { DocumentRecord } from '../../data/tables/documents.ts'
import { type Displaced, type FileContent, sameStamp } from '../../data/tree/index.ts'
import { revisionOf } from '../revision.ts'
import { analyseFound } from './analysis.ts'
import type { Locks } from './locks.ts'
import type { Parts } from './parts.ts'

/** A save in place is over once the file has not changed for so many milliseconds. */
export const quietMs = 150
/** The same, where the file is empty: its bytes are likely to follow. */
const emptyMs = 2000
/** A file that keeps changing is taken as it is after so many milliseconds. */
const longestMs = 2000
/** An equal modification time may hide a change that came so many milliseconds after it. */
const granularityMs = 20

/** A file that a write has taken the place of. */
export interface DisplacedFile extends Displaced {
  documentId: string
  /** The revision that took its place. */
  revision: string
  /** When it was set aside, Unix milliseconds by the disk's clock. */
  atMs: number
}

/**
 * The files whose place a write has taken. Each is what was known, unless an editor saved at that moment, or had the file
 * open and went on writing: then its bytes become a revision of their own below ours, so that neither is lost.
 */
export class DisplacedFiles {
  private readonly parts: Parts
  private readonly locks: Locks

  constructor(parts: Parts, locks: Locks) {
    this.parts = parts
    this.locks = locks
  }

  /**
   * Keeps what is new in a displaced file as a revision, and removes the file.
   * @param isHurried does not wait for those who may have a file open that is as it was
   * @returns false where somebody may still be writing to it: to be called again later
   * @throws what the disk or the database throws
   */
  async settle(file: DisplacedFile, isHurried = false): Promise<boolean> {
    const { tree, diskNow } = this.parts
    const now = tree.stagedStamp(file.name)
    const isAsExpected = now !== null && file.wasExpected && file.stamp && sameStamp(now, file.stamp)
    const ageMs = diskNow() - file.atMs
    if (now !== null && !(isAsExpected && isHurried) && ageMs < longestMs) {
      const restedMs = Math.min(ageMs, Math.abs(diskNow() - now.mtimeMs))
      const isBegun = now.size === 0 && !isAsExpected
      if (restedMs < (isBegun ? emptyMs : quietMs)) return false
    }
    const isRacy = now !== null && now.mtimeMs + granularityMs >= file.atMs
    if (!isAsExpected || isRacy) await this.keep(file)
    tree.discard(file.name)
    return true
  }

  private async keep({ name, documentId, revision }: DisplacedFile): Promise<void> {
    const { contents, documents, tree } = this.parts
    const content = tree.readStaged(name)
    // A chmod displaces a file as well, with bytes that are known.
    if (!content || contents.find(documentId, revisionOf(content.bytes))) return
    await this.locks.run([documentId], async () => {
      const record = documents.find(documentId)
      if (record) await this.insertBelow(revision, record, content)
    })
  }

  /** What was purged since has no revisions, and gets none. */
  private async insertBelow(
    revision: string,
    record: DocumentRecord,
    { bytes, stamp }: FileContent,
  ): Promise<void> {
    const { clock, contents, database, diskMember, revisions } = this.parts
    const analysis = await analyseFound(
      this.parts,
      bytes,
      record,
      contents.find(record.id, record.revision),
      'answering',
    )
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
