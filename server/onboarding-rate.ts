import type { Clock } from '../core/clock.ts'
import { networkOf } from './caller-address.ts'
import { SlidingWindow } from './sliding-window.ts'
import { tooManyRequests } from './too-many-requests.ts'

const windowMs = 60 * 60 * 1000
const limitOfOne = 3
const limitOfAll = 30

/** Only what is admitted is remembered, which within one window is no more than the limit of all. */
const mostNetworks = 1000

/**
 * Nobody may try invites by the thousand: 3 attempts an hour from one address, and 30 from everywhere, whatever comes of
 * them (`decisions.md`, Members). What is turned away meanwhile does not count, so that it prolongs nobody's wait.
 */
export class OnboardingRate {
  private readonly ofOne: SlidingWindow
  private readonly ofAll: SlidingWindow

  constructor(clock: Clock) {
    this.ofOne = new SlidingWindow({ limit: limitOfOne, windowMs, most: mostNetworks, clock })
    this.ofAll = new SlidingWindow({ limit: limitOfAll, windowMs, most: 1, clock })
  }

  /** Counts an attempt. @throws WorkspaceError `too_many_requests`; such an attempt is not counted */
  admit(address: string): void {
    const network = networkOf(address)
    const waitOfOneMs = this.ofOne.waitMs(network)
    const waitOfAllMs = this.ofAll.waitMs('all')
    if (waitOfOneMs > 0 && waitOfOneMs >= waitOfAllMs) {
      throw tooManyRequests('Too many attempts to onboard came from your address.', waitOfOneMs)
    }
    if (waitOfAllMs > 0) {
      throw tooManyRequests('Too many attempts to onboard came from everywhere together.', waitOfAllMs)
    }
    this.ofOne.count(network)
    this.ofAll.count('all')
  }
}
