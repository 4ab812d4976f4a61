import type { IncomingHttpHeaders } from 'node:http'
import type { OutboundFailure } from './failure.ts'

export interface OutboundAnswer {
  kind: 'answer'
  status: number
  headers: IncomingHttpHeaders
  /** As received: a compressed body is not decompressed. */
  body: Buffer
  /** Whether the body exceeded `maxBytes`; `body` is its beginning. */
  isTruncated: boolean
}

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Latin1. Framing headers, Host, Accept-Encoding and User-Agent are the client's. */
  headers?: Readonly<Record<string, string>>
  body?: Buffer
  /** For names, connection, and headers and body of the response. */
  timeoutMs: number
  maxBytes: number
  /**
   * Whether a longer body is returned with `isTruncated`, or is the failure `too_large`. Defaults to `cut`.
   */
  whenTooLarge?: 'cut' | 'fail'
}

/** The only way in which Workroom sends requests: to permitted addresses, with limits on everything. */
export interface Outbound {
  /**
   * Sends one request, without redirects, retries, cookies or proxy. The deadline begins after the wait for a
   * slot.
   * @throws the signal's reason if it is aborted; TypeError for headers or a body that cannot be sent
   */
  request(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundAnswer | OutboundFailure>
  /**
   * Checks an address without connecting; null if it may be reached. `dns` and `timeout` (five seconds) mean
   * that the address is unknown, not refused.
   */
  checkUrl(url: string, signal?: AbortSignal): Promise<OutboundFailure | null>
}

/** Returns addresses in standard notation. @throws an error with a `code` if there are none */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>
