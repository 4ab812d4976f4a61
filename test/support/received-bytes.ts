import type { Page } from 'playwright-core'
import type { TestBrowser } from './browser.ts'

/** The bytes of the responses that a page received, headers included, by address. */
export class ReceivedBytes {
  private readonly byAddress: [address: string, bytes: number][] = []

  add(address: string, bytes: number): void {
    this.byAddress.push([address, bytes])
  }

  get total(): number {
    return this.byAddress.reduce((sum, [, bytes]) => sum + bytes, 0)
  }

  count(address: RegExp): number {
    return this.byAddress.filter(([one]) => address.test(one)).length
  }

  toString(): string {
    return `${this.total} bytes: ${JSON.stringify(this.byAddress)}`
  }
}

/** The bytes that a page receives from an event until it shows it. */
export async function receivedBytes(
  browser: TestBrowser,
  page: Page,
  act: () => Promise<unknown>,
  waitUntilShown: () => Promise<unknown>,
): Promise<ReceivedBytes> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const addresses = new Map<string, string>()
  const received = new ReceivedBytes()
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { pathname, search } = new URL(request.url)
    addresses.set(requestId, pathname + search)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    // The held request began before, so its address is unknown.
    const address = addresses.get(requestId) ?? '/v1/events'
    if (address !== requestedByTest) received.add(address, encodedDataLength)
  })
  await act()
  await waitUntilShown()
  await browser.waitForResponses(page)
  await devtools.detach()
  return received
}

const requestedByTest = '/navigation?at=/'
