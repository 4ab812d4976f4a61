import type { Page } from 'playwright-core'

interface TraceEvent {
  name: string
  args: { elementCount?: number }
}

/**
 * Of how many elements the styles were computed at once, each time that this was done while something happened: how long it
 * takes is a matter of the machine.
 */
export async function styledAtOnce(page: Page, happen: () => Promise<unknown>): Promise<number[]> {
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ['devtools.timeline'] })
  await happen()
  await page.evaluate('new Promise((done) => requestIdleCallback(done))')
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[]
  }
  return traceEvents
    .filter(({ name }) => name === 'UpdateLayoutTree')
    .map(({ args }) => args.elementCount ?? 0)
}
