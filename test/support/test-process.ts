import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { programFile } from '../../data/program.ts'
import { runTestFile } from './test-of-file.ts'

/** What a process that runs test files is told to do next. */
export interface TestOrder {
  /** Path of the built file, below `test/`. */
  file: string
  timeoutMs: number
}

/** What it answers. */
export interface TestReport {
  isOk: boolean
  /** What the file says, as TAP. */
  tap: string
  /** What it opened and did not close, by Node's names. */
  leftOpen: string[]
}

/** How long what a test has ended may take to be gone. */
const patienceMs = 10_000

// What is tried at random is the same in every run: what fails once fails again.
fc.configureGlobal({ seed: 1 })

process.on('message', async ({ file, timeoutMs }: TestOrder) => {
  const before = openResources()
  const { isOk, tap } = await runTestFile({
    name: file,
    folder: resolve('.tap/fixtures', file.replace(/[^\w.-]+/g, '-')),
    timeoutMs,
    load: () => import(programFile(`test/${file}`).href),
  })
  const leftOpen = await resourcesBeyond(before)
  const report: TestReport = { isOk: isOk && leftOpen.length === 0, tap, leftOpen }
  process.send!(report)
})

/** Waits until there are none. Had the file a process of its own, they would keep that from ending. */
async function resourcesBeyond(before: string[]): Promise<string[]> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const open = openResources()
    for (const name of before) {
      const place = open.indexOf(name)
      if (place >= 0) open.splice(place, 1)
    }
    if (open.length === 0 || performance.now() > endMs) return open
    await pause(10)
  }
}

/** What keeps this process from ending, but for timers: this waits by one itself. */
function openResources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'Timeout' && name !== 'Immediate')
}
