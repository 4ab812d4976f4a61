import { StoredEntries } from '../../stored-entries.ts'
import type { UnsentUpdates } from './redelivery.ts'

/** Unconfirmed updates as stored in this browser. */
export interface StoredUpdates extends UnsentUpdates {
  key: string
  at: number
}

/** Stores updates until they are confirmed, in case of a crash. Each page has its own entry. */
export class StoredUpdatesStore {
  private readonly entries: StoredEntries<StoredUpdates>
  private readonly key: string

  constructor(documentId: string, clientId: string) {
    this.entries = new StoredEntries('workroom:live', `${documentId}:`, ({ at }) => at)
    this.key = clientId
    holdLock(this.entries.nameOf(clientId))
  }

  /** Returns whether the browser stored them. */
  store(updates: Omit<StoredUpdates, 'key' | 'at'>): boolean {
    return this.entries.write({ ...updates, key: this.key, at: Date.now() })
  }

  /** @param key of this page or of one that is closed */
  remove(key = this.key): void {
    this.entries.remove(key)
  }

  /** Entries of closed pages, oldest first. */
  async findOrphans(): Promise<StoredUpdates[]> {
    const keys = this.entries.all().flatMap(({ key }) => (key === this.key ? [] : [key]))
    const areFree = await Promise.all(keys.map((key) => isUnlocked(this.entries.nameOf(key))))
    const free = keys.filter((_, index) => areFree[index])
    // Read after the locks: a page stores its last changes just before it closes.
    return this.entries.all().filter(({ key }) => free.includes(key))
  }
}

/** Only in secure contexts. Elsewhere, an open page's entry is sent twice, which the server recognizes. */
const locks = (): LockManager | undefined => navigator.locks

/** Holds the lock until the page closes. */
function holdLock(name: string): void {
  void locks()?.request(name, () => new Promise(() => {}))
}

async function isUnlocked(name: string): Promise<boolean> {
  return (
    (await locks()?.request(name, { ifAvailable: true }, (lock) => Promise.resolve(lock !== null))) ?? true
  )
}
