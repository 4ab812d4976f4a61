import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Clock } from '../core/time/clock.ts'
import { rateLimitKey } from './caller-address.ts'
import { RateLimit } from './rate-limit.ts'

const windowMs = 60 * 60 * 1000
const limitPerNetwork = 3
const overallLimit = 30

const maxNetworks = 1000

const maxQueued = 100

/** Limits guessing (`docs/interface.md#members-and-keys`). Refused attempts do not prolong the wait. */
export class OnboardingRate {
  private readonly perNetwork: RateLimit
  private readonly overall: RateLimit
  private queue: Promise<unknown> = Promise.resolve()
  private waiting = 0

  constructor(clock: Clock) {
    this.perNetwork = new RateLimit({
      limit: limitPerNetwork,
      windowMs,
      maxKeys: maxNetworks,
      reason: 'Too many attempts to onboard came from your address.',
      clock,
    })
    this.overall = new RateLimit({
      limit: overallLimit,
      windowMs,
      maxKeys: 1,
      reason: 'Too many onboarding attempts overall.',
      clock,
    })
  }

  /** @throws WorkspaceError `too_many_requests` while the limit is reached */
  admit(address: string): void {
    const network = rateLimitKey(address)
    if (this.perNetwork.waitMs(network) >= this.overall.waitMs('all')) this.perNetwork.require(network)
    else this.overall.require('all')
  }

  /**
   * Makes an attempt, and counts it if it fails or its result is not free. Attempts take turns, so that
   * concurrent ones cannot exceed the limit.
   * @throws as `attempt`; WorkspaceError `too_many_requests`, uncounted; `unavailable` if too many wait
   */
  async count<T>(address: string, attempt: () => Promise<T>, isFree: (result: T) => boolean): Promise<T> {
    if (this.waiting >= maxQueued) {
      throw new WorkspaceError(
        'unavailable',
        'Too many members are joining right now. Try again in a moment.',
        {
          retryAfterMs: 1000,
        },
      )
    }
    this.waiting += 1
    const turn = this.queue.then(() => this.run(address, attempt, isFree))
    this.queue = turn
      .catch(() => {})
      .finally(() => {
        this.waiting -= 1
      })
    return turn
  }

  private async run<T>(
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
        this.perNetwork.count(rateLimitKey(address))
        this.overall.count('all')
      }
    }
  }
}
