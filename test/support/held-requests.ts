import { once } from 'node:events'
import type { CDPSession, Page } from 'playwright-core'

interface HeldRequests {
  /** Resolves when the first one is held. */
  held: Promise<unknown>
  /** Lets go of all, and of those that follow. */
  release(): Promise<void>
}

/**
 * Holds the requests of a page that match until they are released, as on a slow line. Unlike `page.route`, this leaves
 * all other requests alone, and the page's cache on.
 * @param pattern in which `*` is anything
 */
export const holdRequests = (page: Page, pattern: string): Promise<HeldRequests> =>
  hold(page, pattern, 'Request')

/** Holds responses instead: the server has answered, and the page has not received it. */
export const holdResponses = (page: Page, pattern: string): Promise<HeldRequests> =>
  hold(page, pattern, 'Response')

async function hold(page: Page, pattern: string, stage: 'Request' | 'Response'): Promise<HeldRequests> {
  const devtools = await page.context().newCDPSession(page)
  const [holding, releasing] = [new AbortController(), new AbortController()]
  const held = once(holding.signal, 'abort')
  const released = once(releasing.signal, 'abort')
  const continued: Promise<void>[] = []
  devtools.on('Fetch.requestPaused', ({ requestId }) => {
    holding.abort()
    continued.push(released.then(() => continueRequest(devtools, requestId)))
  })
  // A script or style that the page has loaded before would not be requested again.
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: pattern, requestStage: stage }] })
  return {
    held,
    async release() {
      releasing.abort()
      await Promise.all(continued)
      await devtools.send('Network.setCacheDisabled', { cacheDisabled: false })
    },
  }
}

/** The page may have aborted it, or have been left, meanwhile. */
const continueRequest = (devtools: CDPSession, requestId: string): Promise<void> =>
  devtools.send('Fetch.continueRequest', { requestId }).then(
    () => {},
    () => {},
  )
