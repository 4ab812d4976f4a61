import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { findViolations } from './axe.ts'
import type { TestBrowser } from './browser.ts'
import { openCoEditors } from './co-editors.ts'
import { overflowWidth, pageStructure, parseContentPolicy, policyViolations } from './page-structure.ts'
import type { SamplePage } from './sample-pages.ts'
import type { Sample } from './sample-workspace.ts'

/** The axe rules whose result depends on size or colours; only they are checked twice. */
const visualRules = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'aria-hidden-focus',
]

/** Pages without live updates: search results, help, and pages that only lead to an editor. */
const staticPages = /^\/search|^\/help|\/edit\/posts\/|\/new$/

/** Opens pages of the sample workspace and checks what holds for every page. */
export class PageInspector {
  private readonly windows = new Map<string | null, Page>()
  /** The size of each window: a page is opened in the last one's size and then resized to the other. */
  private readonly sizes = new Map<Page, 'phone' | 'laptop'>()

  constructor(
    private readonly browser: TestBrowser,
    private readonly sample: Sample,
  ) {}

  /** @param options.isForEverybody whether axe checks it, in light and dark */
  async inspect(
    t: Test,
    { path, as, status = 200, coEditors = [], ...rest }: SamplePage,
    { isForEverybody }: { isForEverybody: boolean },
  ): Promise<void> {
    const { browser, sample } = this
    const isAlone = rest.isAlone ?? as === null
    const page = await this.windowOf(as)
    const first = this.sizes.get(page) ?? 'phone'
    const second = first === 'phone' ? 'laptop' : 'phone'
    await page.emulateMedia({ colorScheme: 'light' })
    const others = coEditors.map((who) => sample.people[who])
    t.teardown(await openCoEditors(sample, path, others))
    if (status >= 400) browser.expectError(page, new RegExp(`status of ${status}`))
    const response = (await page.goto(path))!
    t.equal(response.status(), status)
    if (others.length > 0)
      await page
        .locator('.cm-peer-cursor')
        .nth(others.length - 1)
        .waitFor()
    const policy = parseContentPolicy(response.headers()['content-security-policy'])
    t.match(policy, { 'default-src': /^'none'$/, 'script-src': /^'self'$/, 'base-uri': /^'none'$/ })
    t.match(policy['style-src'], /\/(?:edit|new)\b/.test(path) ? /^'self'( 'nonce-[\w-]+')?$/ : /^'self'$/)
    t.notMatch(Object.values(policy).join(' '), /unsafe|\*|https?:/)
    t.strictSame(
      await policyViolations(page, await response.text()),
      [],
      'the HTML has no inline script, style or handler',
    )
    t.ok((await overflowWidth(page)) <= 0, `it fits the width of a ${first}`)
    if (isForEverybody) t.strictSame(await findViolations(page), [], `on a ${first}, in light`)
    this.sizes.set(page, second)
    await browser.resize(page, second)
    await page.emulateMedia({ colorScheme: 'dark' })
    t.ok((await overflowWidth(page)) <= 0, `it fits the width of a ${second}`)
    if (isForEverybody) t.strictSame(await findViolations(page, visualRules), [], `on a ${second}, in dark`)
    // By now all of the page's scripts have started.
    const { headings, title, landmarks, harm } = await pageStructure(page)
    t.equal(headings.length, 1, `one heading: ${headings}`)
    t.match(headings[0], /\S/)
    t.match(title, /^.+ · Testers$/)
    t.strictSame(landmarks, isAlone ? ['header', 'main'] : ['header', 'nav', 'main'])
    const isFollowing = (await page.locator('main [data-live][id]').count()) > 0
    t.equal(isFollowing, !isAlone && status < 400 && !staticPages.test(path), 'whether it is updated live')
    t.strictSame(harm, [], 'no text runs, links to script, or turns the direction of its surroundings')
  }

  private async windowOf(as: SamplePage['as'] = 'ada'): Promise<Page> {
    const { browser, sample } = this
    const open = async () => {
      if (as === null) return browser.openSignedOutPage(sample, { window: 'phone' })
      return browser.openPageAs(sample, sample.people[as], { window: 'phone' })
    }
    const page = this.windows.get(as) ?? (await open())
    this.windows.set(as, page)
    return page
  }
}
