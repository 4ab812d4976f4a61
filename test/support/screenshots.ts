import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { launchBrowser, type PageOptions, type TestBrowser } from './browser.ts'
import { browserBinary } from './browser-binary.ts'
import { openCoEditors } from './co-editors.ts'
import { type SamplePage, samplePages } from './sample-pages.ts'
import { openSample, type Sample } from './sample-workspace.ts'

/**
 * Takes a picture of every page of the sample, light and dark, on a laptop and on a phone:
 *
 *     npm run screenshots -- [--to folder] [page…]
 *
 * A part of a name in `sample-pages.ts` selects all pages with it. The default folder is `.screenshots`.
 */

const appearances: PageOptions[] = [
  { window: 'laptop', colorScheme: 'light' },
  { window: 'laptop', colorScheme: 'dark' },
  { window: 'phone', colorScheme: 'light' },
  { window: 'phone', colorScheme: 'dark' },
]

/** Adds the fonts of this machine, for code and for other scripts. */
async function withFontsOfMachine(folder: string): Promise<Record<string, string>> {
  const { FONTCONFIG_FILE } = (await browserBinary()).env
  if (FONTCONFIG_FILE === undefined) return {}
  const file = join(folder, 'fonts.conf')
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include>${FONTCONFIG_FILE}</include><dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir>
<alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>`,
  )
  return { FONTCONFIG_FILE: file }
}

async function take(
  t: Test,
  browser: TestBrowser,
  sample: Sample,
  pages: readonly SamplePage[],
  appearance: PageOptions,
): Promise<void> {
  const windows = new Map<string | null, Page>()
  for (const { name, path, as = 'ada', status = 200, isWindowOnly = false, coEditors = [] } of pages) {
    const window =
      windows.get(as) ??
      (await (as === null
        ? browser.openSignedOutPage(sample, appearance)
        : browser.openPageAs(sample, sample.people[as], appearance)))
    windows.set(as, window)
    const others = coEditors.map((who) => sample.people[who])
    const closeCoEditors = await openCoEditors(sample, path, others)
    const response = await window.goto(path)
    await waitForCursors(window, others.length)
    const file = `${name}-${appearance.colorScheme}-${appearance.window}.png`
    await window.screenshot({ path: join(folder, file), fullPage: !isWindowOnly })
    t.equal(response?.status(), status, file)
    closeCoEditors()
  }
  for (const window of windows.values()) await window.context().close()
}

const waitForCursors = async (page: Page, count: number): Promise<void> => {
  if (count > 0)
    await page
      .locator('.cm-peer-cursor')
      .nth(count - 1)
      .waitFor()
}

const args = process.argv.slice(2)
const to = args.indexOf('--to')
const [, folderName = '.screenshots'] = to < 0 ? [] : args.splice(to, 2)
const folder = resolve(folderName)

mkdirSync(folder, { recursive: true })
// The process id keeps the test folders of simultaneous runs apart.
t.setTimeout(10 * 60_000)

t.test(`pictures by ${process.pid}`, { timeout: 20 * 60_000 }, async (t) => {
  const sample = await openSample(t)
  const browser = await launchBrowser(await withFontsOfMachine(t.testdirName))
  t.teardown(() => browser.close())
  const pages = samplePages(sample).filter(
    ({ name }) => args.length === 0 || args.some((part) => name.includes(part)),
  )
  for (const appearance of appearances) await take(t, browser, sample, pages, appearance)
  t.comment(`The pictures are in ${folder}`)
})
