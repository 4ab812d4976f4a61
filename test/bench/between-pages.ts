import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { type Bench, type BenchRow, milliseconds, quantile, times } from './measured.ts'
import { prose } from './prose.ts'

const letters = 200
/** About ten letters a second, at varying moments of a frame. */
const everyMs = (count: number) => 80 + ((count * 37) % 40)
const boundMs = 100

/** From a key pressed in one page until the editor of another page has the letter. */
export const betweenPages: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const { port } = await bench.serve()
    const browser = await launchBrowser()
    const open = async (path: string) => {
      const page = await browser.openSignedOutPage({ url: `http://127.0.0.1:${port}` })
      await page.goto('/signin')
      await page.locator('#key').fill(bench.key)
      await page.locator('#key').press('Enter')
      await page.waitForURL('/')
      await page.goto(path)
      await page.locator('.cm-content').click()
      await page.keyboard.press('Control+End')
      return page
    }
    try {
      await bench.request(port, 'PUT', `${docs}/typed.md`, { body: prose('Typed', 4000) })
      const path = '/projects/general/edit/docs/typed'
      const [typed, shown] = [await open(path), await open(path)]
      return [await measure(typed, shown)]
    } finally {
      await browser.close()
    }
  })

/** The machine's time, to less than a tenth of a millisecond, so that two pages can be compared. */
const now = 'performance.timeOrigin + performance.now()'

async function measure(typed: Page, shown: Page): Promise<BenchRow> {
  await typed.evaluate(`globalThis.pressed = []
    addEventListener('keydown', () => pressed.push(${now}), true)`)
  await shown.evaluate(`globalThis.arrived = []
    new MutationObserver(() => arrived.push(${now}))
      .observe(document.querySelector('.cm-content'), { characterData: true, childList: true, subtree: true })`)
  for (let count = 0; count < letters; count++) {
    const before = await shown.evaluate<number>('arrived.length')
    await typed.keyboard.press('abcdefghij'[count % 10]!)
    await eventually(async () => (await shown.evaluate<number>('arrived.length')) > before)
    await pause(everyMs(count))
  }
  const pressed = await typed.evaluate<number[]>('pressed')
  const arrived = await shown.evaluate<number[]>('arrived')
  const tookMs = pressed.map((at) => arrived.find((time) => time > at)! - at)
  const p99Ms = quantile(tookMs, 0.99)
  return {
    what: `A key pressed in one page, to the other page (${letters} letters; p99 ${milliseconds(p99Ms)})`,
    workroom: milliseconds(quantile(tookMs, 0.5)),
    against: milliseconds(boundMs),
    ratio: times(p99Ms / boundMs),
    target: 'p99 ≤ 1',
    isMet: p99Ms <= boundMs,
  }
}
