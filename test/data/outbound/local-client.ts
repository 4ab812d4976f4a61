import {
  type OutboundOptions,
  type OutboundRequest,
  openOutbound,
  type Resolve,
} from '../../../data/outbound/http.ts'

export const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

export const here: Resolve = async () => ['127.0.0.1']

/** A client for receivers on this machine; every name leads there. */
export const open = (options: Partial<OutboundOptions> = {}) =>
  openOutbound({ allow: ['127.0.0.1'], resolve: here, ...options })

export const get = (url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  timeoutMs: 10_000,
  maxBytes: 64 * 1024,
  ...changes,
})
