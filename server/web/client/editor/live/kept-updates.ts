import { StoredEntries } from '../../stored-entries.ts'
import type { UnsentUpdates } from './redelivery.ts'

/** What was written and not confirmed by the server, as this browser keeps it. */
export interface KeptUpdates extends UnsentUpdates {
  key: string
  at: number
}

/** Keeps updates until they are confirmed: neither a crash nor a closed page loses them. Each page has an entry of its own. */
export class KeptUpdatesStore {
  private readonly entries: StoredEntries<KeptUpdates>
  private readonly key: string

  constructor(documentId: string, clientId: string) {
    this.entries = new StoredEntries('workroom:live', `${documentId}:`, ({ at }) => at)
    this.key = clientId
    holdLock(this.entries.nameOf(clientId))
  }

  /** @returns whether the browser has kept them */
  store(updates: Omit<KeptUpdates, 'key' | 'at'>): boolean {
    return this.entries.write({ ...updates, key: this.key, at: Date.now() })
  }

  /** @param key of this page's own, or of one that a closed page has left */
  remove(key = this.key): void {
    this.entries.remove(key)
  }

  /** What pages that are closed have left, oldest first. */
  async left(): Promise<KeptUpdates[]> {
    const keys = this.entries.all().flatMap(({ key }) => (key === this.key ? [] : [key]))
    const isFree = await Promise.all(keys.map((key) => isUnlocked(this.entries.nameOf(key))))
    const free = keys.filter((_, index) => isFree[index])
    // Read only now: a page keeps what it has last just before it is closed.
    return this.entries.all().filter(({ key }) => free.includes(key))
  }
}

/** Browsers have locks on https and on this computer alone. Elsewhere what an open page keeps is sent twice, and taken once. */
const locks = (): LockManager | undefined => navigator.locks

/** Held for as long as the page is there. */
function holdLock(name: string): void {
  void locks()?.request(name, () => new Promise(() => {}))
}

async function isUnlocked(name: string): Promise<boolean> {
  return (
    (await locks()?.request(name, { ifAvailable: true }, (lock) => Promise.resolve(lock !== null))) ?? true
  )
}
