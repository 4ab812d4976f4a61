import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Clock } from '../core/time/clock.ts'
import { rateLimitKey } from './caller-address.ts'
import { RateLimit } from './rate-limit.ts'

const windowMs = 60 * 60 * 1000
const limitOfOne = 3
const limitOfAll = 30

const maxNetworks = 1000

const maxWaiting = 100

/** Limits guessing (`docs/interface.md#members-and-keys`). Refused attempts do not prolong the wait. */
export class OnboardingRate {
  private readonly ofOne: RateLimit
  private readonly ofAll: RateLimit
  private last: Promise<unknown> = Promise.resolve()
  private waiting = 0

  constructor(clock: Clock) {
    this.ofOne = new RateLimit({
      limit: limitOfOne,
      windowMs,
      maxKeys: maxNetworks,
      reason: 'Too many attempts to onboard came from your address.',
      clock,
    })
    this.ofAll = new RateLimit({
      limit: limitOfAll,
      windowMs,
      maxKeys: 1,
      reason: 'Too many onboarding attempts overall.',
      clock,
    })
  }

  /** @throws WorkspaceError `too_many_requests` while the limit is reached */
  admit(address: string): void {
    const network = rateLimitKey(address)
    if (this.ofOne.waitMs(network) >= this.ofAll.waitMs('all')) this.ofOne.require(network)
    else this.ofAll.require('all')
  }

  /**
   * Counts an attempt that fails, or that succeeds without `isFree`. They take turns, so that concurrent ones
   * cannot exceed the limit.
   * @throws WorkspaceError `too_many_requests`, uncounted; `unavailable` where too many wait
   */
  async count<T>(address: string, attempt: () => Promise<T>, isFree: (result: T) => boolean): Promise<T> {
    if (this.waiting >= maxWaiting) {
      throw new WorkspaceError(
        'unavailable',
        'Too many members are joining right now. Try again in a moment.',
        {
          retryAfterMs: 1000,
        },
      )
    }
    this.waiting += 1
    const turn = this.last.then(() => this.take(address, attempt, isFree))
    this.last = turn
      .catch(() => {})
      .finally(() => {
        this.waiting -= 1
      })
    return turn
  }

  private async take<T>(
    address: string,
    attempt: () => Promise<T>,
    isFree: (result: T) => boolean,
  ): Promise<T> {
    this.admit(address)
    let isCounted = true
    try {
      const result = await attempt()
      isCounted = !isFree(result)
      return result
    } finally {
      if (isCounted) {
        this.ofOne.count(rateLimitKey(address))
        this.ofAll.count('all')
      }
    }
  }
}
