import type { IncomingHttpHeaders } from 'node:http'
import type { OutboundFailure } from './failure.ts'

export interface OutboundResponse {
  kind: 'response'
  status: number
  headers: IncomingHttpHeaders
  /** As received: a compressed body is not decompressed. */
  body: Buffer
  isTruncated: boolean
}

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Latin1. Framing headers, Host, Accept-Encoding and User-Agent are the client's. */
  headers?: Readonly<Record<string, string>>
  body?: Buffer
  timeoutMs: number
  maxBytes: number
  whenTooLarge?: 'cut' | 'fail'
}

/** The only way in which Workroom sends requests. */
export interface Outbound {
  /**
   * Follows no redirects, and does not retry. The deadline begins after the wait for a slot.
   * @throws the signal's reason if it is aborted; TypeError for headers or a body that cannot be sent
   */
  request(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundResponse | OutboundFailure>
  /** Null if the URL may be reached. `dns` and `timeout` mean that its address is unknown, not refused. */
  checkUrl(url: string, signal?: AbortSignal): Promise<OutboundFailure | null>
}

/** Returns addresses in standard notation. @throws an error with a `code` if there are none */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>
