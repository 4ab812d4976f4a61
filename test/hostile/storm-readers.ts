/** What one group of clients sends while a storm runs. `{n}` in the path and the body is a number that rises with each request. */
export interface Group {
  /** As it is reported. */
  name: string
  method: string
  path: string
  body?: string
  /** Connections, each with one request at a time. */
  connections: number
  /** A connection begins a request no more often than this, in milliseconds. */
  everyMs: number
  /** What an answer may have; others are counted as refused. */
  statuses: number[]
}

export type ToReaders = { port: number; headers: Record<string, string>; groups: Group[] } | 'report'

/** The waits of one group since the last report, in milliseconds from the moment at which each request was due. */
export interface Waits {
  name: string
  requests: number
  p99Ms: number
  maxMs: number
  /** Statuses that no answer of the group may have, each once. */
  refused: number[]
}
