import { hash } from 'node:crypto'
import type { Clock } from '../core/time/clock.ts'
import { rateLimitKey } from './caller-address.ts'
import { RateLimit } from './rate-limit.ts'

/** How many distinct invalid keys may come from one address within the window. */
const limit = 10
const windowMs = 15 * 60 * 1000
const maxNetworks = 65_536

export const invalidKey =
  'This key is not valid: it is unknown, it was revoked, or its member was deactivated. Ask an owner or admin for a new one; with an invite, POST /v1/onboard or the page /join gives one.'

/**
 * Nobody may try keys by the thousand: with more than 10 invalid ones within 15 minutes every request with a key from
 * that address waits (`docs/interface.md#authentication`). A key counts once however often it comes, so that a program
 * that polls with a revoked key locks nobody out. What is tried during the wait does not prolong it.
 */
export class InvalidKeys {
  private readonly attempts: RateLimit

  constructor(clock: Clock) {
    const reason = 'Too many invalid keys came from your address.'
    this.attempts = new RateLimit({ limit: limit + 1, windowMs, maxKeys: maxNetworks, reason, clock })
  }

  /** @throws WorkspaceError `too_many_requests` while the address is blocked */
  requireBelowLimit(address: string): void {
    // Every request with a key asks, and hardly ever has any been invalid.
    if (this.attempts.size > 0) this.attempts.require(rateLimitKey(address))
  }

  /**
   * Notes an invalid key; to be called after `admit`.
   * @throws WorkspaceError `too_many_requests` where it is one too many
   */
  count(address: string, key: string): void {
    const network = rateLimitKey(address)
    this.attempts.count(network, hash('sha256', key, 'buffer').readUIntBE(0, 6))
    this.attempts.require(network)
  }
}
