import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/time/clock.ts'
import { rateLimitKey } from './caller-address.ts'
import { tooManyRequests } from './too-many-requests.ts'

/** How many distinct invalid keys may come from one address within the window. */
const limit = 10
const windowMs = 15 * 60 * 1000
const maxNetworks = 65_536

/** What is told to those whose key is not valid, and how they get another. */
export const invalidKey =
  'This key is not valid: it is unknown, it was revoked, or its member was deactivated. Ask an owner or admin for a new one; with an invite, POST /v1/onboard or the page /join gives one.'

/**
 * Nobody may try keys by the thousand: with more than 10 invalid ones within 15 minutes every request with a key from
 * that address waits (`docs/interface.md#authentication`). A key counts once however often it comes, so that a program
 * that polls with a revoked key locks nobody out. What is tried during the wait does not prolong it.
 */
export class InvalidKeys {
  private readonly clock: Clock
  /** By network: when each key was last tried, in Unix milliseconds, the latest last. At most `limit` + 1 each. */
  private readonly tried: LRUCache<string, Map<number, number>>

  constructor(clock: Clock) {
    this.clock = clock
    // By size rather than by count: for that, room for all of them would be set aside at once.
    this.tried = new LRUCache({ maxSize: maxNetworks, sizeCalculation: () => 1 })
  }

  /** @throws WorkspaceError `too_many_requests` while the address is blocked */
  admit(address: string): void {
    if (this.tried.size === 0) return
    const network = rateLimitKey(address)
    const tried = this.tried.get(network)
    if (!tried) return
    const nowMs = this.clock.now()
    for (const [key, atMs] of tried) {
      // A time in the future was noted before the clock was set back: it would block for longer than the window.
      if (atMs <= nowMs - windowMs || atMs > nowMs) tried.delete(key)
    }
    if (tried.size === 0) this.tried.delete(network)
    if (tried.size <= limit) return
    const [oldestMs] = tried.values()
    throw tooManyRequests('Too many invalid keys came from your address.', oldestMs! + windowMs - nowMs)
  }

  /**
   * Notes an invalid key; to be called after `admit`.
   * @throws WorkspaceError `too_many_requests` where it is one too many
   */
  count(address: string, key: string): void {
    const network = rateLimitKey(address)
    const tried = this.tried.get(network) ?? new Map<number, number>()
    const name = hash('sha256', key, 'buffer').readUIntBE(0, 6)
    tried.delete(name)
    tried.set(name, this.clock.now())
    this.tried.set(network, tried)
    this.admit(address)
  }
}
