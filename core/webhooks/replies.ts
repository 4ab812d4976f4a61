import type { OutboundAnswer } from '../../data/outbound/http.ts'

/**
 * The text of a response to a delivery (`docs/webhooks.md#the-reply`): the `body` of a JSON object.
 * @returns null if there is none, or the response was truncated; nothing is posted then
 */
export function parseReply({ headers, body, isTruncated }: OutboundAnswer): string | null {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  if (!/^\s*application\/json\s*(?:;|$)/i.test(type) || encoding !== 'identity' || isTruncated) return null
  const answer = parsed(body)
  if (typeof answer !== 'object' || answer === null || !('body' in answer)) return null
  return typeof answer.body === 'string' && answer.body.trim() !== '' ? answer.body : null
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    // Any other content acknowledges the delivery.
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}
