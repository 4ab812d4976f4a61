import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

/** Asserts that axe finds nothing serious or critical on a page. */
export async function checkAccessibility(
  t: Test,
  page: Page,
  name = `${page.url()} is for everybody`,
): Promise<void> {
  t.strictSame(await findViolations(page), [], name)
}

/** The default rules of serious or critical impact; the others would take a third of the time. */
const severeRules = `axe._audit.rules
  .filter(({ enabled, impact, tags }) => enabled && impact !== 'minor' && impact !== 'moderate' &&
    !tags.includes('experimental') && !tags.includes('deprecated'))
  .map(({ id }) => id)`

/** The serious or critical findings, each as rule, element and failure. @param rules axe's rule ids */
export async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'],
    // Our style sheets are readable in place and need not be fetched again.
    preload: false,
  }
  // The content policy does not apply to scripts that DevTools evaluates.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source)
  // Returning the passes as well would double the time.
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(document, { ...${JSON.stringify(options)}, runOnly: ${rules ? JSON.stringify(rules) : severeRules} })
      .then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
}
