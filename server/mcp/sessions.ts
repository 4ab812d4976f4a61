import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { WatchedResources } from './watched-resources.ts'

const maxSessionsPerKey = 16

/** Subscriptions in memory, for protocol versions before 2026-07-28. A session has no other state. */
export class Sessions {
  /** Marks sessions of this process: those of an earlier one have lost their subscriptions. */
  private readonly runId = randomUUID().slice(0, 8)
  private readonly byKey = new Map<string, LRUCache<string, WatchedResources>>()

  newId(): string {
    return `${this.runId}-${randomUUID()}`
  }

  isKnown(id: string): boolean {
    return id.startsWith(`${this.runId}-`)
  }

  /** Starts without subscriptions. The least recently used session beyond the limit is forgotten. */
  watchedIn(keyId: string, id: string): WatchedResources {
    const sessions = this.byKey.get(keyId) ?? new LRUCache({ max: maxSessionsPerKey })
    this.byKey.set(keyId, sessions)
    const watched = sessions.get(id) ?? new WatchedResources()
    sessions.set(id, watched)
    return watched
  }

  end(keyId: string, id: string): void {
    this.byKey.get(keyId)?.delete(id)
  }
}
