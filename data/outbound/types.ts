import type { IncomingHttpHeaders } from 'node:http'
import type { OutboundFailure } from './failure.ts'

export interface OutboundAnswer {
  kind: 'answer'
  /** Any final status: 3xx is an answer like others. */
  status: number
  /** By lower-case name. */
  headers: IncomingHttpHeaders
  /** As it came over the wire: what is compressed, although nobody asked for it, stays so. */
  body: Buffer
  /** Whether there was more than `maxBytes`; `body` is the beginning. */
  isTruncated: boolean
}

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /**
   * Sent with names and values as they are; a value's characters are bytes (latin1). Host, Connection, Content-Length,
   * Transfer-Encoding, Accept-Encoding and User-Agent are the client's own.
   */
  headers?: Readonly<Record<string, string>>
  /** The very bytes. Not with GET and HEAD. */
  body?: Buffer
  /** For all of it: names, connection, headers and body of the answer. */
  timeoutMs: number
  /** The longest body that is read. */
  maxBytes: number
  /** What a longer one is: its beginning, `isTruncated`, or the failure `too_large`. Default `cut`. */
  whenTooLarge?: 'cut' | 'fail'
}

/** The one way by which Workroom calls others: to addresses that it may reach, with bounds on everything. */
export interface Outbound {
  /**
   * Sends one request. No redirect is followed, nothing is tried again, no cookie is kept and no proxy is used.
   * While too many requests are under way it waits for its turn, which its deadline does not count.
   * @throws the signal's reason when it is aborted; TypeError for headers or a body that cannot be sent
   */
  request(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundAnswer | OutboundFailure>
  /**
   * The judgement that a request to this address would meet now, without connecting; null: it may be reached. Names are
   * resolved, for at most five seconds: `dns` and `timeout` say that its address is not known, not that it is refused; plain http
   * that no exception covers by name is refused then.
   * @throws the signal's reason when it is aborted
   */
  checkUrl(url: string, signal?: AbortSignal): Promise<OutboundFailure | null>
}

/**
 * Finds the addresses of a host name, in standard notation.
 * @throws an error with a `code` when there are none
 */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>
