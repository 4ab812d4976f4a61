import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { WatchedResources } from './watched-resources.ts'

const maxSessionsPerKey = 16

/**
 * What clients of the protocol before 2026-07-28 have subscribed to, in memory. Nothing else is kept of a session: each
 * request is answered by itself, and a session that was never seen has no subscriptions.
 */
export class Sessions {
  /** A session of an earlier run of the server had subscriptions that are lost. */
  private readonly run = randomUUID().slice(0, 8)
  private readonly byKey = new Map<string, LRUCache<string, WatchedResources>>()

  newId(): string {
    return `${this.run}-${randomUUID()}`
  }

  isKnown(id: string): boolean {
    return id.startsWith(`${this.run}-`)
  }

  /** The subscriptions of a session, which begins with none. The least recently used of too many is forgotten. */
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
