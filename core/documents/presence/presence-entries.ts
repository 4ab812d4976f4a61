import type { Clock } from '../../time/clock.ts'
import type { PresenceKind } from '../model/types.ts'

/** `docs/interface.md#limits` */
export const presenceMs = 90_000

export interface PresenceEntry {
  memberId: string
  kind: PresenceKind
  block: string | null
  lastSeenMs: number
}

/** In memory only. Maps keep insertion order, and a heartbeat reinserts its entry: the oldest are first. */
export class PresenceEntries {
  private readonly documents = new Map<string, Map<string, PresenceEntry>>()

  /** @param onChange called when others see a change, not on every heartbeat */
  constructor(
    private readonly clock: Clock,
    private readonly onChange: (documentId: string) => void = () => {},
  ) {}

  put(documentId: string, entry: Omit<PresenceEntry, 'lastSeenMs'>): void {
    const members = this.documents.get(documentId) ?? new Map<string, PresenceEntry>()
    const before = members.get(entry.memberId)
    const isSame =
      before && !this.isExpired(before) && before.kind === entry.kind && before.block === entry.block
    members.delete(entry.memberId)
    members.set(entry.memberId, { ...entry, lastSeenMs: this.clock.now() })
    const hasExpired = this.dropExpired(members)
    this.documents.delete(documentId)
    this.documents.set(documentId, members)
    if (!isSame || hasExpired) this.onChange(documentId)
  }

  remove(documentId: string, memberId: string): void {
    const members = this.documents.get(documentId)
    if (!members?.delete(memberId)) return
    if (members.size === 0) this.documents.delete(documentId)
    this.onChange(documentId)
  }

  removeAll(documentId: string): void {
    if (this.documents.delete(documentId)) this.onChange(documentId)
  }

  in(documentId: string): PresenceEntry[] {
    return [...(this.documents.get(documentId)?.values() ?? [])]
      .filter((entry) => !this.isExpired(entry))
      .reverse()
  }

  documentsOf(): string[] {
    return [...this.documents.keys()].reverse()
  }

  rebind(documentId: string, blockAfter: (block: string) => string | null): void {
    const members = this.documents.get(documentId)
    for (const [memberId, entry] of members ?? []) {
      if (entry.block !== null) members!.set(memberId, { ...entry, block: blockAfter(entry.block) })
    }
  }

  /** @returns when the next entry expires, Unix milliseconds; null if none is left */
  removeExpired(): number | null {
    let nextMs: number | null = null
    for (const [documentId, members] of this.documents) {
      const hasExpired = this.dropExpired(members)
      const [oldest] = members.values()
      if (oldest) nextMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, oldest.lastSeenMs + presenceMs)
      else this.documents.delete(documentId)
      if (hasExpired) this.onChange(documentId)
    }
    return nextMs
  }

  private dropExpired(members: Map<string, PresenceEntry>): boolean {
    let hasExpired = false
    for (const [memberId, entry] of members) {
      if (!this.isExpired(entry)) break
      members.delete(memberId)
      hasExpired = true
    }
    return hasExpired
  }

  /** A time in the future was recorded before the clock was set back, and counts as expired. */
  private isExpired({ lastSeenMs }: PresenceEntry): boolean {
    return Math.abs(this.clock.now() - lastSeenMs) >= presenceMs
  }
}
