import { hash } from 'node:crypto'
import type { Clock } from '../core/time/clock.ts'
import { rateLimitKey } from './caller-address.ts'
import { RateLimit } from './rate-limit.ts'

const limit = 10
const windowMs = 15 * 60 * 1000
const maxNetworks = 65_536

export const invalidKey =
  'This key is not valid: it is unknown, it was revoked, or its member was deactivated. Ask an owner or admin for a new one; with an invite, POST /v1/onboard or the page /join gives one.'

/**
 * Blocks addresses that try many keys (`docs/interface.md#authentication`). A key counts once, so that a
 * program with a revoked key locks nobody out. Attempts while blocked do not prolong the block.
 */
export class InvalidKeys {
  private readonly attempts: RateLimit

  constructor(clock: Clock) {
    const reason = 'Too many invalid keys came from your address.'
    this.attempts = new RateLimit({ limit: limit + 1, windowMs, maxKeys: maxNetworks, reason, clock })
  }

  /** @throws WorkspaceError `too_many_requests` while the address is blocked */
  requireBelowLimit(address: string): void {
    if (this.attempts.size > 0) this.attempts.require(rateLimitKey(address))
  }

  /** To be called after `requireBelowLimit`. @throws WorkspaceError `too_many_requests` */
  count(address: string, key: string): void {
    const network = rateLimitKey(address)
    this.attempts.count(network, hash('sha256', key, 'buffer').readUIntBE(0, 6))
    this.attempts.require(network)
  }
}
