import { hash } from 'node:crypto'
import type { Clock } from '../core/time/clock.ts'
import { SlidingWindow } from './sliding-window.ts'
import { tooManyRequests } from './too-many-requests.ts'

const windowMs = 60 * 1000
const maxKeys = 10_000

/** The limit that an operator may set on the requests of one key (`docs/interface.md#limits`). */
export class RequestRate {
  private readonly limit: number
  private readonly requests: SlidingWindow

  constructor(requestsPerMinute: number, clock: Clock) {
    this.limit = requestsPerMinute
    this.requests = new SlidingWindow({ limit: requestsPerMinute, windowMs, maxKeys, clock })
  }

  /**
   * Counts one request of a valid key, which is kept as a hash alone.
   * @throws WorkspaceError `too_many_requests`; such a request is not counted
   */
  admit(key: string): void {
    const name = hash('sha256', key, 'base64')
    const waitMs = this.requests.waitMs(name)
    if (waitMs > 0) throw tooManyRequests(`This key may make ${this.limit} requests a minute.`, waitMs)
    this.requests.count(name)
  }
}
