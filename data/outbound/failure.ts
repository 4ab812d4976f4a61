/** Why a request had no answer. The set is closed; the words for people are core's. */
export type FailureCategory =
  /** No address that is used: `detail` is `unreadable`, `scheme`, `credentials` or `plain_http`. */
  | 'bad_url'
  /** Its host is, or has among others, an address that may not be reached: `detail` is that address. */
  | 'blocked_address'
  /** Its name has no address, or the name servers do not say. */
  | 'dns'
  /** Nobody listens there. */
  | 'refused'
  /** No way there, or the connection broke, or what came over it is no HTTP. */
  | 'connection'
  /** No TLS could be agreed on, or the certificate is not good for the name. */
  | 'tls'
  /** The deadline passed, in whichever step. */
  | 'timeout'
  /** More came than was asked for, in the body or in the headers. */
  | 'too_large'

export interface OutboundFailure {
  kind: 'failure'
  category: FailureCategory
  /** What exactly, for a log: where the category does not say otherwise, the code of the system, of TLS or of DNS. */
  detail: string
  /** The status of an answer that had begun; null where none had. */
  status: number | null
}

export const failure = (
  category: FailureCategory,
  detail: string,
  status: number | null = null,
): OutboundFailure => ({ kind: 'failure', category, detail, status })

/** The code of a failed call, such as `ECONNRESET`, `ENOTFOUND` or `CERT_HAS_EXPIRED`. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
