import type { Outbound } from '../../data/outbound/http.ts'
import type { WebhookRow } from '../../data/tables/webhooks.ts'
import { parseReply } from './replies.ts'
import { headersOf, type SignedAttempt } from './signature.ts'

/** For all of an attempt, in milliseconds (`docs/webhooks.md#the-reply`). */
const attemptMs = 10_000
/** How much of an answer is read. */
const maxReplyBytes = 64 * 1024

/** How an attempt came out. */
export type AttemptResult =
  /** `reply`: the text that the receiver wants to have posted; null for none. */
  | { isDelivered: true; status: number; reply: string | null }
  /** `status`: what it was answered, null where it was not; `error`: in a word what was wrong, of TLS also its code. */
  | { isDelivered: false; status: number | null; error: string }

/**
 * Makes one attempt to deliver: anything but an answer of 2xx is a failure, a redirect among them.
 * @throws the signal's reason when it is aborted
 */
export async function sendDelivery(
  outbound: Outbound,
  attempt: SignedAttempt,
  webhook: WebhookRow,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const answer = await outbound.request(
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
  if (answer.kind === 'failure') {
    // What is wrong with a certificate is for its owner to mend, who has to know what it is.
    const { category, detail, status } = answer
    return { isDelivered: false, status, error: category === 'tls' ? `tls: ${detail}` : category }
  }
  const { status } = answer
  return status >= 200 && status < 300
    ? { isDelivered: true, status, reply: parseReply(answer) }
    : { isDelivered: false, status, error: 'bad_status' }
}
