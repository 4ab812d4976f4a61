import type { Clock } from '../../core/time/clock.ts'
import { rateLimitKey } from '../caller-address.ts'
import { SlidingWindow } from '../sliding-window.ts'
import { tooManyRequests } from '../too-many-requests.ts'

const limit = 10
const windowMs = 60 * 60 * 1000
const maxNetworks = 65_536

/** Nobody may have letters sent by the hundred: 10 links an hour may be asked for from one address, whoever they are for. */
export class SignInMailLimit {
  private readonly asks: SlidingWindow

  constructor(clock: Clock) {
    this.asks = new SlidingWindow({ limit, windowMs, maxKeys: maxNetworks, clock })
  }

  /** Counts one. @throws WorkspaceError `too_many_requests`; such a one is not counted */
  admit(address: string): void {
    const network = rateLimitKey(address)
    const waitMs = this.asks.waitMs(network)
    if (waitMs > 0) throw tooManyRequests('Too many sign-in links were requested from your address.', waitMs)
    this.asks.count(network)
  }
}
