import type { Outbound, OutboundAnswer, OutboundFailure } from '../../data/outbound/http.ts'

/** An HTML page, or its beginning. */
interface FetchedPage {
  /** Where it was found in the end. */
  url: string
  contentType: string
  body: Buffer
}

/** For all of it, redirects included. */
const timeoutMs = 5000
const maxBytes = 512 * 1024
const maxRedirects = 5

/**
 * Asks for the page that a link leads to. Every step of a redirect passes the same guard as the first.
 * @returns the page, or in one word why there is none
 * @throws the signal's reason when it is aborted
 */
export async function fetchPage(
  outbound: Outbound,
  link: string,
  signal: AbortSignal,
): Promise<FetchedPage | string> {
  const endMs = performance.now() + timeoutMs
  let url = link
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await outbound.request(
      {
        method: 'GET',
        url,
        headers: { Accept: 'text/html' },
        timeoutMs: Math.max(1, endMs - performance.now()),
        maxBytes: maxBytes,
      },
      signal,
    )
    const next = nextUrl(answer, url)
    if (next === null) return pageOf(answer, url)
    url = next
  }
  return 'too_many_redirects'
}

/** Where to ask instead; null: here is what there is. */
function nextUrl(answer: OutboundAnswer | OutboundFailure, url: string): string | null {
  if (answer.kind === 'failure') {
    // Most pages that are linked by plain http, which is not spoken here, are there by https as well.
    return answer.detail === 'plain_http' ? url.replace(/^http:/, 'https:') : null
  }
  const { location } = answer.headers
  const isRedirect = [301, 302, 303, 307, 308].includes(answer.status)
  return isRedirect && location !== undefined && URL.canParse(location, url)
    ? new URL(location, url).href
    : null
}

function pageOf(answer: OutboundAnswer | OutboundFailure, url: string): FetchedPage | string {
  if (answer.kind === 'failure') return answer.category
  const { status, headers, body } = answer
  if (status !== 200) return `status_${status}`
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = headers
  if (!/^\s*text\/html\s*(?:;|$)/i.test(contentType)) return 'not_html'
  // Nobody asked for it to be compressed.
  return encoding === 'identity' ? { url, contentType, body } : 'compressed'
}
