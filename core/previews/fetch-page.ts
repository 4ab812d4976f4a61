import type { Outbound, OutboundAnswer, OutboundFailure } from '../../data/outbound/http.ts'

/** An HTML page, possibly truncated. */
interface FetchedPage {
  /** After redirects. */
  url: string
  contentType: string
  body: Buffer
}

/** For all redirects together. */
const timeoutMs = 5000
const maxBytes = 512 * 1024
const maxRedirects = 5

/**
 * Fetches a linked page. Each redirect is checked like the first request.
 * @returns the page, or the reason in one word
 * @throws the signal's reason if it is aborted
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

/** The next address; null if this is the response. */
function nextUrl(answer: OutboundAnswer | OutboundFailure, url: string): string | null {
  if (answer.kind === 'failure') {
    // Most pages that are linked by plain http, which is not used here, exist by https as well.
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
  // Compression was not requested.
  return encoding === 'identity' ? { url, contentType, body } : 'compressed'
}
