/**
 * What the load generator is asked to send. `{n}` in the path and the body is a number that rises with each request, `{d}`
 * the number of one of the documents, in turns.
 */
export interface Load {
  port: number
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  /** Connections, each with one request at a time. */
  connections: number
  /** For how long; the requests that run then are waited for and counted. */
  durationMs: number
  /** A connection begins a request no more often than this; 0: as soon as the last is answered. */
  everyMs?: number
  status: number
  firstNumber?: number
  documents?: number
}

export interface LoadResult {
  requests: number
  perSecond: number
  /** Of all requests, in milliseconds; with `everyMs` from the moment at which a request was due. */
  p50Ms: number
  p99Ms: number
  maxMs: number
}
