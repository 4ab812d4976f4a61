import {
  type OutboundOptions,
  type OutboundRequest,
  openOutbound,
  type Resolve,
} from '../../../data/outbound/http.ts'
import { TestClock } from '../../support/test-clock.ts'

export const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

export const here: Resolve = async () => ['127.0.0.1']

/** A client for receivers on this machine; every name leads there. */
export const open = (options: Partial<OutboundOptions> = {}) =>
  openOutbound({ allow: ['127.0.0.1'], resolve: here, ...options })

/** A client whose deadlines pass when the test advances a clock. */
export function openOnClock(options: Partial<OutboundOptions> = {}) {
  const clock = new TestClock()
  return { clock, outbound: open({ after: (ms, callback) => clock.after(ms, callback), ...options }) }
}

export const get = (url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  timeoutMs: 10_000,
  maxBytes: 64 * 1024,
  ...changes,
})
