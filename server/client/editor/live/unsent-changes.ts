import { csrfToken } from '../../api.ts'
import { StoredEntries } from '../../stored-entries.ts'
import type { EditSession } from '../edit-session.ts'
import { type LiveLink, openSocket } from './link.ts'
import { redeliver, type UnsentUpdates } from './redelivery.ts'
import type { SharedText } from './shared-text.ts'

const storeDelayMs = 400

/** Stores unconfirmed changes in this browser, and sends those of closed pages. */
export class UnsentChanges {
  private readonly session: EditSession
  private readonly shared: SharedText
  private readonly documentId: string
  private readonly store: StoredUpdatesStore
  private readonly onStored: (isStored: boolean) => void
  private readonly listeners = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private isResending = false

  /** @param onStored receives whether the browser stored all changes */
  constructor(
    session: EditSession,
    shared: SharedText,
    link: LiveLink,
    onStored: (isStored: boolean) => void,
  ) {
    this.session = session
    this.shared = shared
    this.documentId = link.documentId
    this.store = new StoredUpdatesStore(link.documentId, link.clientId)
    this.onStored = onStored
    const { signal } = this.listeners
    addEventListener('pagehide', () => this.storeNow(), { signal })
    addEventListener(
      'beforeunload',
      (event) => {
        if (session.isLeaving) return
        if (!this.storeNow() || session.uploads.isBusy) event.preventDefault()
      },
      { signal },
    )
    addEventListener(
      'sessionended',
      () => {
        this.storeNow()
        session.lockForLeaving()
      },
      { signal },
    )
    addEventListener('pageshow', ({ persisted }) => persisted && session.unlock(), { signal })
  }

  scheduleStore(): void {
    if (this.shared.isConfirmed) {
      clearTimeout(this.timer)
      this.timer = undefined
      this.store.remove()
    } else this.timer ??= setTimeout(() => this.storeNow(), storeDelayMs)
  }

  /** Returns false if there are changes that the browser did not store. */
  storeNow(): boolean {
    clearTimeout(this.timer)
    this.timer = undefined
    const { pending, clientId, syncedText } = this.shared
    if (!pending) return true
    const isStored = this.store.store({ ...pending, clientId, base: syncedText.toString() })
    this.onStored(isStored)
    return isStored
  }

  async resend(): Promise<void> {
    if (this.isResending) return
    this.isResending = true
    for (const orphan of await this.store.findOrphans()) await this.resendOrphan(orphan)
    this.isResending = false
  }

  end(): void {
    this.storeNow()
    this.listeners.abort()
  }

  private async resendOrphan(orphan: StoredUpdates): Promise<void> {
    const delivery = await redeliver(orphan, csrfToken ?? '', () => openSocket(this.documentId))
    if (delivery.kind === 'delivered') this.store.remove(orphan.key)
    if (delivery.kind !== 'unknown') return
    const message = `You have unsaved changes from ${dateTimeFormat.format(orphan.at)}.`
    const restore = () => {
      this.shared.adopt(delivery.base, delivery.changes)
      this.store.remove(orphan.key)
      this.session.view.focus()
    }
    this.session.notices.show(`unsaved ${orphan.key}`, message, [
      { label: 'Restore', action: restore },
      { label: 'Discard', action: () => this.store.remove(orphan.key) },
    ])
  }
}

const dateTimeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Unconfirmed updates as stored in this browser. */
interface StoredUpdates extends UnsentUpdates {
  key: string
  at: number
}

/** Stores updates until they are confirmed, in case of a crash. Each page has its own entry. */
class StoredUpdatesStore {
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
