/** What a crowd of clients is asked to do: all ask, and wait; then one request brings what they wait for. */
export interface WaitOrder {
  port: number
  asks: { path: string; headers: Record<string, string> }[]
  /** How long they are left alone before it comes. */
  waitMs: number
  /** What brings the news; answered with 201. */
  news: { path: string; headers: Record<string, string>; body: string }
}

export interface ReleaseResult {
  /** From the 201 until the last of the crowd has its answer, in milliseconds. */
  lastMs: number
}
