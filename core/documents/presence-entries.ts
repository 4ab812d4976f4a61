import type { Clock } from '../clock.ts'

/** For how long an entry counts, in milliseconds (`interface.md`, Limits). */
export const presenceMs = 90_000

/** What somebody does in a document. */
export const presenceKinds = ['viewing', 'editing'] as const
export type PresenceKind = (typeof presenceKinds)[number]

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

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** A member is in a document; what was said before of them there is forgotten. */
  put(documentId: string, entry: Omit<PresenceEntry, 'lastSeenMs'>): void {
    const members = this.documents.get(documentId) ?? new Map<string, PresenceEntry>()
    members.delete(entry.memberId)
    members.set(entry.memberId, { ...entry, lastSeenMs: this.clock.now() })
    this.forgetOldOnes(members)
    this.documents.delete(documentId)
    this.documents.set(documentId, members)
  }

  remove(documentId: string, memberId: string): void {
    const members = this.documents.get(documentId)
    if (members?.delete(memberId) && members.size === 0) this.documents.delete(documentId)
  }

  /** Everybody leaves the document. */
  removeAll(documentId: string): void {
    this.documents.delete(documentId)
  }

  /** Those who are in a document, the one who was seen last first. */
  in(documentId: string): PresenceEntry[] {
    return [...(this.documents.get(documentId)?.values() ?? [])]
      .filter((entry) => !this.isOld(entry))
      .reverse()
  }

  /** The ids of the documents in which somebody was lately, the last one first. */
  places(): string[] {
    return [...this.documents.keys()].reverse()
  }

  /** The blocks of a document have other ids now. */
  rebind(documentId: string, blockAfter: (block: string) => string | null): void {
    const members = this.documents.get(documentId)
    for (const [memberId, entry] of members ?? []) {
      if (entry.block !== null) members!.set(memberId, { ...entry, block: blockAfter(entry.block) })
    }
  }

  /** Forgets the documents in which nobody is any more. @returns when to do so again, Unix milliseconds; null: none is left */
  sweep(): number | null {
    for (const [documentId, members] of this.documents) {
      this.forgetOldOnes(members)
      const [oldest] = members.values()
      if (oldest) return oldest.lastSeenMs + presenceMs
      this.documents.delete(documentId)
    }
    return null
  }

  private forgetOldOnes(members: Map<string, PresenceEntry>): void {
    for (const [memberId, entry] of members) {
      if (!this.isOld(entry)) return
      members.delete(memberId)
    }
  }

  /** A time that is far ahead is one of before the clock was set back, and says nothing. */
  private isOld({ lastSeenMs }: PresenceEntry): boolean {
    return Math.abs(this.clock.now() - lastSeenMs) >= presenceMs
  }
}
