import { once } from 'node:events'
import type { CDPSession, Page } from 'playwright-core'

interface InterceptedRequest {
  method: string
  /** Sends it. */
  continue(): Promise<void>
  /** Answers in the server's place. */
  answer(status: number, json: object): Promise<void>
  /** Fails it, as when the server cannot be reached. */
  fail(): Promise<void>
}

interface HeldRequests {
  /** Resolves when the first one is held. */
  held: Promise<unknown>
  /** Lets go of all, and of those that follow. */
  release(): Promise<void>
}

/**
 * Intercepts the requests of a page that match. Unlike `page.route`, this leaves all other requests alone.
 * @param pattern in which `*` is anything
 * @returns a function that ends it, to be called when no such request is on its way
 */
export async function interceptRequests(
  page: Page,
  pattern: string,
  handle: (request: InterceptedRequest) => unknown,
): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page)
  devtools.on('Fetch.requestPaused', ({ requestId, request }) => {
    handle({
      method: request.method,
      continue: () => sendQuietly(devtools, 'Fetch.continueRequest', { requestId }),
      answer: (status, json) =>
        sendQuietly(devtools, 'Fetch.fulfillRequest', {
          requestId,
          responseCode: status,
          responseHeaders: [{ name: 'Content-Type', value: 'application/json' }],
          body: Buffer.from(JSON.stringify(json)).toString('base64'),
        }),
      fail: () => sendQuietly(devtools, 'Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' }),
    })
  })
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: pattern }] })
  return () => devtools.detach()
}

/** The page may have aborted the request, or have been left, meanwhile. */
async function sendQuietly<Method extends Parameters<CDPSession['send']>[0]>(
  devtools: CDPSession,
  method: Method,
  params: Parameters<CDPSession['send']>[1],
): Promise<void> {
  await devtools.send(method, params as never).catch(() => {})
}

/** Holds matching requests of a page until they are released, as on a slow line. */
export async function holdRequests(page: Page, pattern: string): Promise<HeldRequests> {
  const [holding, releasing] = [new AbortController(), new AbortController()]
  const held = once(holding.signal, 'abort')
  const released = once(releasing.signal, 'abort')
  const continued: Promise<void>[] = []
  const hold = (request: InterceptedRequest) => {
    holding.abort()
    continued.push(released.then(request.continue))
  }
  // A script that the page has loaded before would not be requested again.
  const cache = await page.context().newCDPSession(page)
  await cache.send('Network.setCacheDisabled', { cacheDisabled: true })
  await interceptRequests(page, pattern, hold)
  return {
    held,
    async release() {
      releasing.abort()
      await Promise.all(continued)
      await cache.detach()
    },
  }
}
