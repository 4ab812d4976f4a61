import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { obstacles } from './axe.ts'
import type { TestBrowser } from './browser.ts'
import { openBeside } from './co-editors.ts'
import { overflowWidth, pageStructure, policyOf, policyViolations } from './page-structure.ts'
import type { SamplePage } from './sample-pages.ts'
import type { Sample } from './sample-workspace.ts'

/** The rules of axe that another size or other colours can break. What is the same in both need not be asked twice. */
const rulesOfLooks = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'aria-hidden-focus',
]

/** What was found is of the moment at which it was asked for, and some pages only lead to where something is written. */
const still = /^\/search|^\/help|\/edit\/posts\/|\/new$/

/** Opens pages of the sample workspace one after the other, and holds each to what is promised of every page. */
export class PageInspector {
  private readonly browser: TestBrowser
  private readonly sample: Sample
  /** A window for each person. */
  private readonly windows = new Map<string | null, Page>()
  /** Each page is opened in the size in which the one before was left, and then looked at in the other one, too. */
  private readonly sizes = new Map<Page, 'phone' | 'laptop'>()

  constructor(browser: TestBrowser, sample: Sample) {
    this.browser = browser
    this.sample = sample
  }

  /** @param options.isForEverybody whether axe looks at it, by day and by night */
  async inspect(
    t: Test,
    { path, as, status = 200, coEditors = [], ...shown }: SamplePage,
    { isForEverybody }: { isForEverybody: boolean },
  ): Promise<void> {
    const { browser, sample } = this
    const isAlone = shown.isAlone ?? as === null
    const page = await this.windowOf(as)
    const first = this.sizes.get(page) ?? 'phone'
    const second = first === 'phone' ? 'laptop' : 'phone'
    await page.emulateMedia({ colorScheme: 'light' })
    const others = coEditors.map((who) => sample.people[who])
    t.teardown(await openBeside(sample, path, others))
    if (status >= 400) browser.expect(page, new RegExp(`status of ${status}`))
    const answer = (await page.goto(path))!
    t.equal(answer.status(), status)
    if (others.length > 0)
      await page
        .locator('.cm-peer-cursor')
        .nth(others.length - 1)
        .waitFor()
    const policy = policyOf(answer.headers()['content-security-policy'])
    t.match(policy, { 'default-src': /^'none'$/, 'script-src': /^'self'$/, 'base-uri': /^'none'$/ })
    t.match(policy['style-src'], /\/(?:edit|new)\b/.test(path) ? /^'self'( 'nonce-[\w-]+')?$/ : /^'self'$/)
    t.notMatch(Object.values(policy).join(' '), /unsafe|\*|https?:/)
    t.strictSame(
      await policyViolations(page, await answer.text()),
      [],
      'no script, style or handler of its own was sent',
    )
    t.ok((await overflowWidth(page)) <= 0, `nothing stands out to the side on a ${first}`)
    if (isForEverybody) t.strictSame(await obstacles(page), [], `on a ${first}, by day`)
    this.sizes.set(page, second)
    await browser.resize(page, second)
    await page.emulateMedia({ colorScheme: 'dark' })
    t.ok((await overflowWidth(page)) <= 0, `nothing stands out to the side on a ${second}`)
    if (isForEverybody) t.strictSame(await obstacles(page, rulesOfLooks), [], `on a ${second}, by night`)
    // By now all has started that a page starts by itself.
    const { headings, title, landmarks, harm } = await pageStructure(page)
    t.equal(headings.length, 1, `one heading: ${headings}`)
    t.match(headings[0], /\S/)
    t.match(title, /^.+ · Testers$/)
    t.strictSame(landmarks, isAlone ? ['header', 'main'] : ['header', 'nav', 'main'])
    const isFollowing = (await page.locator('main [data-live][id]').count()) > 0
    t.equal(isFollowing, !isAlone && status < 400 && !still.test(path), 'whether it changes by itself')
    t.strictSame(harm, [], 'nothing that was written runs, leads to what does, or turns its surroundings')
  }

  private async windowOf(as: SamplePage['as'] = 'ada'): Promise<Page> {
    const { browser, sample } = this
    const open = async () => {
      if (as === null) return browser.visitor(sample, { window: 'phone' })
      return browser.person(sample, sample.people[as], { window: 'phone' })
    }
    const page = this.windows.get(as) ?? (await open())
    this.windows.set(as, page)
    return page
  }
}
