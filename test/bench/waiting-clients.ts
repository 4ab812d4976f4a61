/** An order for a crowd of clients: all send a request and wait; then one message releases them. */
export interface WaitOrder {
  port: number
  requests: { path: string; headers: Record<string, string> }[]
  /** The time between the requests and the message. */
  waitMs: number
  /** The request that releases them; answered with 201. */
  release: { path: string; headers: Record<string, string>; body: string }
}

export interface ReleaseResult {
  /** From the 201 until the last of the crowd has its answer. */
  lastMs: number
}
