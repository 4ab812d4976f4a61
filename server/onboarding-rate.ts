import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Clock } from '../core/time/clock.ts'
import { rateLimitKey } from './caller-address.ts'
import { RateLimit } from './rate-limit.ts'

const windowMs = 60 * 60 * 1000
const limitOfOne = 3
const limitOfAll = 30

/** Only what is counted is remembered, which within one window is no more than the limit of all. */
const maxNetworks = 1000

/** How many attempts may wait for their turn. Each takes a commit. */
const maxWaiting = 100

/**
 * Nobody may try invites by the thousand: 3 attempts an hour from one address, and 30 from everywhere
 * (`docs/interface.md#members-and-keys`). What is turned away meanwhile does not count, so that it prolongs nobody's wait.
 */
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

  /** @throws WorkspaceError `too_many_requests` while nothing may be attempted from an address */
  admit(address: string): void {
    const network = rateLimitKey(address)
    if (this.ofOne.waitMs(network) >= this.ofAll.waitMs('all')) this.ofOne.require(network)
    else this.ofAll.require('all')
  }

  /**
   * Makes one attempt, which counts where it fails, and where it succeeds unless `isFree` says otherwise. Attempts take
   * turns, so that many at once are no more than their limit.
   * @throws what `attempt` throws; WorkspaceError `too_many_requests`, which is not counted; `unavailable` where too
   *   many wait for their turn
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
