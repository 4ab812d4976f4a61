import type { OutboundResponse } from '../../data/outbound/http.ts'

/** Null if the response has no reply or was truncated (`docs/webhooks.md#the-reply`). */
export function parseReply({ headers, body, isTruncated }: OutboundResponse): string | null {
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
