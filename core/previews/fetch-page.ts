import type { Outbound, OutboundFailure, OutboundResponse } from '../../data/outbound/http.ts'

interface FetchedPage {
  url: string
  contentType: string
  body: Buffer
}

/** For all requests of a page, including redirects. */
const timeoutMs = 5000
const maxBytes = 512 * 1024
const maxRedirects = 5

/** Every redirect passes the same address guard. Returns the page, or a one-word reason for the failure. */
export async function fetchPage(
  outbound: Outbound,
  link: string,
  signal: AbortSignal,
  elapsed = () => performance.now(),
): Promise<FetchedPage | string> {
  const endMs = elapsed() + timeoutMs
  let url = link
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await outbound.request(
      {
        method: 'GET',
        url,
        headers: { Accept: 'text/html' },
        timeoutMs: Math.max(1, endMs - elapsed()),
        maxBytes,
      },
      signal,
    )
    const next = nextUrl(response, url)
    if (next === null) return pageOf(response, url)
    url = next
  }
  return 'too_many_redirects'
}

function nextUrl(response: OutboundResponse | OutboundFailure, url: string): string | null {
  if (response.kind === 'failure') {
    // Plain http is not supported; most pages linked by it are available over https.
    return response.detail === 'plain_http' ? url.replace(/^http:/, 'https:') : null
  }
  const { location } = response.headers
  const isRedirect = [301, 302, 303, 307, 308].includes(response.status)
  return isRedirect && location !== undefined && URL.canParse(location, url)
    ? new URL(location, url).href
    : null
}

function pageOf(response: OutboundResponse | OutboundFailure, url: string): FetchedPage | string {
  if (response.kind === 'failure') return response.category
  const { status, headers, body } = response
  if (status !== 200) return `status_${status}`
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = headers
  if (!/^\s*text\/html\s*(?:;|$)/i.test(contentType)) return 'not_html'
  // Compression was not requested.
  return encoding === 'identity' ? { url, contentType, body } : 'compressed'
}
