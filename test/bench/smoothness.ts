import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { columns } from '../../core/documents/model/columns.ts'
import { launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { type BenchWorkspace, withBenchWorkspace } from './bench-workspace.ts'
import { type Bench, type BenchRow, median, milliseconds, times } from './measured.ts'

const cardCount = 1000
const documentCount = 2000
const rounds = 5
const boundMs = 50
const scrolls = 20

/**
 * The longest task of a page's main thread while a long list is opened, scrolled and changed, in processor
 * time. A reader who types or scrolls waits that long.
 */
export const smoothness: Bench = () =>
  withBenchWorkspace(async (bench) => {
    writeFiles(bench)
    const { port } = await bench.serve()
    const url = `http://127.0.0.1:${port}`
    const browser = await launchBrowser()
    try {
      const page = await browser.openSignedOutPage({ url })
      await page.goto('/signin')
      await page.locator('#key').fill(bench.key)
      await page.locator('#key').press('Enter')
      await page.waitForURL('/')
      const project = '/projects/general'
      const card = '/v1/fs/projects/general/board/01-triage/4'
      let changes = 0
      const changeCard = async () => {
        changes++
        await bench.request(port, 'PUT', card, { body: `# Changed ${changes}\n` })
        // A locator would search the whole page repeatedly, in measured tasks.
        const shown = 'document.querySelector(`.card[data-number="4"] .card-title`)?.textContent.trim()'
        await eventually(async () => (await page.evaluate<string>(shown)) === `Changed ${changes}`)
      }
      await eventually(async () => {
        await page.goto(`${project}/board?done=all`)
        return (await page.locator('.card').count()) === cardCount
      }, 180_000)
      const open = (path: string) => () => page.goto(path, { waitUntil: 'load' })
      const scroll = () => scrollThrough(page)
      return [
        await measure(page, `A board of ${cardCount} cards is opened`, open(`${project}/board?done=all`)),
        await measure(page, 'It is scrolled', scroll),
        await measure(page, 'A card of it changes', changeCard),
        await measure(page, `A list of ${documentCount} documents is opened`, open(`${project}/docs`)),
        await measure(page, 'It is scrolled', scroll),
      ]
    } finally {
      await browser.close()
    }
  })

function writeFiles({ home }: BenchWorkspace): void {
  const write = (folder: string, name: string, text: string) => {
    mkdirSync(join(home, 'projects/general', folder), { recursive: true })
    writeFileSync(join(home, 'projects/general', folder, name), text)
  }
  for (let number = 1; number <= cardCount; number++) {
    const fields = `---\nlabels: [tides, harbour]\nassignees: [Ada]\ndue: 2026-12-01\npriority: high\n---\n`
    const name = `${String(number).padStart(4, '0')}-card.md`
    write(`board/${columns[number % 4]!.name}`, name, `${fields}# Card ${number} of a long board\n\nText.\n`)
  }
  for (let number = 1; number <= documentCount; number++)
    write('documents', `page-${number}.md`, `# Page ${number}\n\nText.\n`)
}

async function scrollThrough(page: Page): Promise<void> {
  for (let count = 1; count <= scrolls; count++) {
    await page.evaluate(`new Promise((done) => {
      scrollTo(0, document.documentElement.scrollHeight * ${count / scrolls})
      requestAnimationFrame(() => requestAnimationFrame(done))
    })`)
  }
}

interface TraceEvent {
  name: string
  tid: number
  pid: number
  /** Processor time in microseconds. */
  tdur?: number
  args: { name?: string }
}

async function measure(page: Page, what: string, act: () => Promise<unknown>): Promise<BenchRow> {
  const longestMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const browser = page.context().browser()!
    await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
    await act()
    await page.evaluate('new Promise((done) => requestIdleCallback(done))')
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: TraceEvent[]
    }
    longestMs.push(longestTaskMs(traceEvents))
  }
  const ms = median(longestMs)
  return {
    what: `${what}: longest task (median of ${rounds}; worst ${milliseconds(Math.max(...longestMs))})`,
    workroom: milliseconds(ms),
    against: milliseconds(boundMs),
    ratio: times(ms / boundMs),
    target: '≤ 1',
    isMet: ms <= boundMs,
  }
}

/** @throws if the trace has no tasks of a page */
function longestTaskMs(events: readonly TraceEvent[]): number {
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = events.filter(({ pid, tid, tdur }) => tdur !== undefined && threads.has(`${pid} ${tid}`))
  if (tasks.length === 0) throw new Error('No task of a page was traced.')
  return Math.max(...tasks.map(({ tdur }) => tdur!)) / 1000
}
