import type { Outbound, OutboundResponse } from '../../data/outbound/http.ts'
import type { WebhookRow } from '../../data/tables/webhooks.ts'
import { headersOf, type SignedAttempt } from './signature.ts'

/** `docs/webhooks.md#the-reply` */
const attemptMs = 10_000
const maxReplyBytes = 64 * 1024

export type AttemptResult =
  | { isDelivered: true; status: number; reply: string | null }
  /** `error` is a code, for TLS with its reason. */
  | { isDelivered: false; status: number | null; error: string }

/** Any response but 2xx is a failure, including redirects. @throws the signal's reason if it is aborted */
export async function sendDelivery(
  outbound: Outbound,
  attempt: SignedAttempt,
  webhook: WebhookRow,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const response = await outbound.request(
    {
      method: 'POST',
      url: webhook.url,
      headers: headersOf(attempt, webhook),
      body: attempt.body,
      timeoutMs: attemptMs,
      maxBytes: maxReplyBytes,
    },
    signal,
  )
  if (response.kind === 'failure') {
    // The owner needs the reason to fix the certificate.
    const { category, detail, status } = response
    return { isDelivered: false, status, error: category === 'tls' ? `tls: ${detail}` : category }
  }
  const { status } = response
  return status >= 200 && status < 300
    ? { isDelivered: true, status, reply: parseReply(response) }
    : { isDelivered: false, status, error: 'bad_status' }
}

/** Null if the response has no reply or was truncated (`docs/webhooks.md#the-reply`). */
function parseReply({ headers, body, isTruncated }: OutboundResponse): string | null {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  if (!/^\s*application\/json\s*(?:;|$)/i.test(type) || encoding !== 'identity' || isTruncated) return null
  const content = parseJson(body)
  if (typeof content !== 'object' || content === null || !('body' in content)) return null
  return typeof content.body === 'string' && content.body.trim() !== '' ? content.body : null
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    // Any other content acknowledges the delivery.
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}
