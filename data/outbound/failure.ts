export type FailureCategory =
  | 'bad_url'
  /** One of the host's addresses may not be reached; it is the `detail`. */
  | 'blocked_address'
  /** The name has no address, or the name servers do not respond. */
  | 'dns'
  | 'refused'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'too_large'

export interface OutboundFailure {
  kind: 'failure'
  category: FailureCategory
  /** For the log. */
  detail: string
  /** Set if a response had begun. */
  status: number | null
}

export const failure = (
  category: FailureCategory,
  detail: string,
  status: number | null = null,
): OutboundFailure => ({ kind: 'failure', category, detail, status })

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
