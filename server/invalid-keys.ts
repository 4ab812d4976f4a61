import type { Clock } from '../core/clock.ts'
import { networkOf } from './caller-address.ts'
import { SlidingWindow } from './sliding-window.ts'
import { tooManyRequests } from './too-many-requests.ts'

const limit = 10
const windowMs = 15 * 60 * 1000
const mostNetworks = 65_536

/**
 * Nobody may try keys by the thousand: after 10 invalid ones within 15 minutes every request with a key from
 * that address waits (`interface.md`, Authentication 6). What is tried meanwhile does not prolong the wait.
 */
export class InvalidKeys {
  private readonly attempts: SlidingWindow

  constructor(clock: Clock) {
    this.attempts = new SlidingWindow({ limit, windowMs, most: mostNetworks, clock })
  }

  /** @throws WorkspaceError `too_many_requests` while the address is blocked */
  admit(address: string): void {
    if (this.attempts.size === 0) return
    const waitMs = this.attempts.waitMs(networkOf(address))
    if (waitMs > 0) throw tooManyRequests('Too many invalid keys came from your address.', waitMs)
  }

  /** To be called after `admit`. */
  count(address: string): void {
    this.attempts.count(networkOf(address))
  }
}
