/** A group of clients. `{n}` in path and body is a number that increases with each request. */
export interface Group {
  name: string
  method: string
  path: string
  body?: string
  connections: number
  /** The least time in ms between the requests of a connection. */
  everyMs: number
  /** The expected statuses; others count as refused. */
  statuses: number[]
}

export type ToReaders = { port: number; headers: Record<string, string>; groups: Group[] } | 'report'

/** The waits of a group since the last report, each from the moment when the request was due. */
export interface Waits {
  name: string
  requests: number
  p99Ms: number
  maxMs: number
  /** The unexpected statuses, each once. */
  refused: number[]
}
