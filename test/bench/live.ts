import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { type Bench, type BenchRow, median, milliseconds, times } from './measured.ts'

const changes = 20
const boundMs = 500

type Change = (text: string) => Promise<void> | void

/** From a change of a document until a browser that has it open shows the change. */
export const live: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const { port } = await bench.serve()
    const browser = await launchBrowser()
    try {
      const page = await browser.openSignedOutPage({ url: `http://127.0.0.1:${port}` })
      await page.goto('/signin')
      await page.locator('#key').fill(bench.key)
      await page.locator('#key').press('Enter')
      await page.waitForURL('/')
      const put = async (body: string) => {
        await bench.request(port, 'PUT', `${docs}/open.md`, { body })
      }
      await put('# Open\n\nAt first.\n')
      await page.goto('/projects/general/docs/open')
      const path = join(bench.home, 'projects', 'general', 'documents', 'open.md')
      const byRename: Change = (text) => {
        const temporary = join(path, '..', '.saving.tmp')
        writeFileSync(temporary, text)
        renameSync(temporary, path)
      }
      return [
        await measure(page, 'A change over HTTP', put),
        await measure(page, 'Save by rename', byRename),
        await measure(page, 'Save in place', (text) => writeFileSync(path, text)),
      ]
    } finally {
      await browser.close()
    }
  })

async function measure(page: Page, what: string, change: Change): Promise<BenchRow> {
  const tookMs: number[] = []
  for (let count = 0; count < changes; count++) {
    const words = `${what}, ${count}.`
    const shown = page.getByText(words).waitFor()
    const startMs = performance.now()
    await change(`# Open\n\n${words}\n`)
    await shown
    tookMs.push(performance.now() - startMs)
    // People pause between changes, for varying times.
    await pause(300 + ((count * 137) % 400))
  }
  const medianMs = median(tookMs)
  return {
    what: `${what}, to an open page (median of ${changes}; worst ${milliseconds(Math.max(...tookMs))})`,
    workroom: milliseconds(medianMs),
    against: milliseconds(boundMs),
    ratio: times(medianMs / boundMs),
    target: '≤ 1',
    isMet: medianMs <= boundMs,
  }
}
