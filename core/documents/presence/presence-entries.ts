import type { Clock } from '../../time/clock.ts'
import type { PresenceKind } from '../model/types.ts'

/** For how long an entry counts, in milliseconds (`docs/interface.md#limits`). */
export const presenceMs = 90_000

/** One member in one document. */
export interface PresenceEntry {
  memberId: string
  kind: PresenceKind
  /** The id of the block that they are at; null: none in particular. */
  block: string | null
  lastSeenMs: number
}

/**
 * Who is in which document: in memory alone. Maps keep the order in which their keys were set, so that the last beat
 * stands last, among the documents as among the members of one, and what is old stands first.
 */
export class PresenceEntries {
  private readonly documents = new Map<string, Map<string, PresenceEntry>>()
  private readonly clock: Clock
  private readonly hear: (documentId: string) => void

  /** @param hear is told whenever others see something else of who is in a document: not that somebody still is */
  constructor(clock: Clock, hear: (documentId: string) => void = () => {}) {
    this.clock = clock
    this.hear = hear
  }

  /** A member is in a document; what was said before of them there is forgotten. */
  put(documentId: string, entry: Omit<PresenceEntry, 'lastSeenMs'>): void {
    const members = this.documents.get(documentId) ?? new Map<string, PresenceEntry>()
    const before = members.get(entry.memberId)
    const isSame =
      before && !this.isExpired(before) && before.kind === entry.kind && before.block === entry.block
    members.delete(entry.memberId)
    members.set(entry.memberId, { ...entry, lastSeenMs: this.clock.now() })
    const someLeft = this.dropExpired(members)
    this.documents.delete(documentId)
    this.documents.set(documentId, members)
    if (!isSame || someLeft) this.hear(documentId)
  }

  remove(documentId: string, memberId: string): void {
    const members = this.documents.get(documentId)
    if (!members?.delete(memberId)) return
    if (members.size === 0) this.documents.delete(documentId)
    this.hear(documentId)
  }

  /** Everybody leaves the document. */
  removeAll(documentId: string): void {
    if (this.documents.delete(documentId)) this.hear(documentId)
  }

  /** Those who are in a document, the one who was seen last first. */
  in(documentId: string): PresenceEntry[] {
    return [...(this.documents.get(documentId)?.values() ?? [])]
      .filter((entry) => !this.isExpired(entry))
      .reverse()
  }

  /** The ids of the documents in which somebody was lately, the last one first. */
  documentsOf(): string[] {
    return [...this.documents.keys()].reverse()
  }

  /** The blocks of a document have other ids now. */
  rebind(documentId: string, blockAfter: (block: string) => string | null): void {
    const members = this.documents.get(documentId)
    for (const [memberId, entry] of members ?? []) {
      if (entry.block !== null) members!.set(memberId, { ...entry, block: blockAfter(entry.block) })
    }
  }

  /** Forgets those who are in a document no more. @returns when to do so again, Unix milliseconds; null: nobody is left */
  removeExpired(): number | null {
    let nextMs: number | null = null
    for (const [documentId, members] of this.documents) {
      const someLeft = this.dropExpired(members)
      const [oldest] = members.values()
      if (oldest) nextMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, oldest.lastSeenMs + presenceMs)
      else this.documents.delete(documentId)
      if (someLeft) this.hear(documentId)
    }
    return nextMs
  }

  /** @returns whether there were any */
  private dropExpired(members: Map<string, PresenceEntry>): boolean {
    let someLeft = false
    for (const [memberId, entry] of members) {
      if (!this.isExpired(entry)) break
      members.delete(memberId)
      someLeft = true
    }
    return someLeft
  }

  /** A time that is far ahead is one of before the clock was set back, and says nothing. */
  private isExpired({ lastSeenMs }: PresenceEntry): boolean {
    return Math.abs(this.clock.now() - lastSeenMs) >= presenceMs
  }
}
