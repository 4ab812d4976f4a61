/** In the path and the body, `{n}` rises with each request; `{d}` is the number of a document, in turns. */
export interface Load {
  port: number
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  /** Connections, each with one request at a time. */
  connections: number
  /** Requests that run at the end still count. */
  durationMs: number
  /** The least time between two requests of a connection; 0: as fast as answers come. */
  everyMs?: number
  status: number
  firstNumber?: number
  documents?: number
}

export interface LoadResult {
  requests: number
  perSecond: number
  /** Latency; with `everyMs`, since a request was due. */
  p50Ms: number
  p99Ms: number
  maxMs: number
}
