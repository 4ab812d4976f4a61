import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { findViolations } from './axe.ts'
import type { TestBrowser } from './browser.ts'
import { overflowWidth } from './page-structure.ts'

/** The axe rules whose result depends on size or colours. */
const visualRules = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'aria-hidden-focus',
]

/** Ends highlights of changes, whose colours are those of the scheme in which they began. */
const endAnimations = `for (const one of document.getAnimations())
  if (one.effect.getComputedTiming().endTime !== Infinity) one.finish()`

/**
 * Asserts that a page of a laptop, as it stands, is accessible and fits its window, there in light colours and on a
 * phone in dark ones. The page is a laptop's again when it returns.
 */
export async function checkBothWindows(
  t: Test,
  browser: TestBrowser,
  page: Page,
  what: string,
): Promise<void> {
  t.strictSame(await findViolations(page), [], `${what}, on a laptop`)
  await browser.resize(page, 'phone')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.evaluate(endAnimations)
  t.strictSame(await findViolations(page, visualRules), [], `${what}, on a phone`)
  t.ok((await overflowWidth(page)) <= 0, `${what} fits the width of a phone`)
  await browser.resize(page, 'laptop')
  await page.emulateMedia({ colorScheme: 'light' })
}
