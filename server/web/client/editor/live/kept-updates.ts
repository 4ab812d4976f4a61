import { keyOf, StoredValue } from '../../stored-value.ts'
import type { UnsentUpdates } from './redelivery.ts'

/** What was written and not confirmed by the server, as this browser keeps it. */
export interface KeptUpdates extends UnsentUpdates {
  key: string
  at: number
}

const kind = 'workroom:live'
const keptForMs = 30 * 24 * 60 * 60 * 1000

const storedAt = (key: string) => new StoredValue<Omit<KeptUpdates, 'key'>>(localStorage, key)

/** Keeps updates until they are confirmed: neither a crash nor a closed page loses them. Each page has an entry of its own. */
export class KeptUpdatesStore {
  private readonly subject: string
  private readonly key: string
  private isKept = false

  constructor(documentId: string, clientId: string) {
    this.subject = `${keyOf(kind, documentId)}:`
    this.key = this.subject + clientId
    holdLock(this.key)
    dropOld()
  }

  /** @returns whether the browser has kept them */
  store(kept: Omit<KeptUpdates, 'key' | 'at'>): boolean {
    storedAt(this.key).write({ ...kept, at: Date.now() })
    this.isKept = true
    return storedAt(this.key).read()?.updates.length === kept.updates.length
  }

  remove(): void {
    if (!this.isKept) return
    storedAt(this.key).remove()
    this.isKept = false
  }

  /** What pages that are closed have left, oldest first. */
  async left(): Promise<KeptUpdates[]> {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.subject) && key !== this.key)
    const isFree = await Promise.all(keys.map(isUnlocked))
    const entries = keys.flatMap((key, index) => (isFree[index] && entryOf(key)) || [])
    return entries.sort((one, other) => one.at - other.at)
  }
}

export const removeKept = ({ key }: KeptUpdates): void => storedAt(key).remove()

function entryOf(key: string): KeptUpdates | null {
  const entry = storedAt(key).read()
  return entry && { ...entry, key }
}

function dropOld(): void {
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(`${kind}:`))) {
    const entry = entryOf(key)
    if (!entry || entry.at < Date.now() - keptForMs) storedAt(key).remove()
  }
}

/** Browsers have locks on https and on this computer alone. Elsewhere what an open page keeps is sent twice, and taken once. */
const locks = (): LockManager | undefined => navigator.locks

/** Held for as long as the page is there. */
function holdLock(key: string): void {
  void locks()?.request(key, () => new Promise(() => {}))
}

async function isUnlocked(key: string): Promise<boolean> {
  return (
    (await locks()?.request(key, { ifAvailable: true }, (lock) => Promise.resolve(lock !== null))) ?? true
  )
}
