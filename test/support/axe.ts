import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

/** Nothing on the page stands in the way of people who cannot see it well, or use no mouse: what axe calls serious or critical. */
export async function accessible(
  t: Test,
  page: Page,
  name = `${page.url()} is for everybody`,
): Promise<void> {
  t.strictSame(await obstacles(page), [], name)
}

/** Those of axe's usual rules of which a breach is serious or critical: to ask for the others costs a third of the time. */
const grave = `axe._audit.rules
  .filter(({ enabled, impact, tags }) => enabled && impact !== 'minor' && impact !== 'moderate' &&
    !tags.includes('experimental') && !tags.includes('deprecated'))
  .map(({ id }) => id)`

/**
 * Each with the name of its rule, the element, and what is wrong.
 * @param rules those that are looked at, by axe's names; default all
 */
export async function obstacles(page: Page, rules?: string[]): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'],
    // Our rules of style are read where they are; they need not be fetched again.
    preload: false,
  }
  // The policy for content is for what a page loads; this comes through the browser's own door.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source)
  // Only what went wrong is sent back: all that axe has looked at costs as much time again.
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(document, { ...${JSON.stringify(options)}, runOnly: ${rules ? JSON.stringify(rules) : grave} })
      .then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
}
