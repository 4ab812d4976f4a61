import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { escapeHtml } from '../../../../core/text/escape-html.ts'
import { openBrowser } from '../../../support/browser.ts'
import { makeHostile } from '../../../support/hostile-sample.ts'
import { scriptlessPage } from '../../../support/page-structure.ts'
import { crawl } from '../../../support/sample-addresses.ts'
import { type SamplePage, samplePages } from '../../../support/sample-pages.ts'
import { openSample } from '../../../support/sample-workspace.ts'
import { ScriptlessBrowser } from '../../../support/scriptless-browser.ts'
import { readTabOrder } from '../../../support/tab-order.ts'

const browser = await openBrowser(t)
const sample = await openSample(t)
const { ada } = sample.people
await makeHostile(sample)

t.test('by keyboard, every control can be reached, is visible and named, and none is a trap', async (t) => {
  const page = await browser.openPageAs(sample, ada)
  // A condition for each page's script having started, because starting it may move the focus.
  const begun = {
    [`/rooms/${sample.ids.release}`]: "history.scrollRestoration === 'manual'",
    '/projects/harbour/docs/onboarding': "document.querySelector('#outline [aria-current]') !== null",
    '/projects/harbour/board': "document.querySelector('#board-filter:not([hidden])') !== null",
  }
  for (const [path, hasBegun] of Object.entries(begun)) {
    await page.goto(path)
    await sample.eventually(() => page.evaluate<boolean>(hasBegun))
    const { stops, missed, faults } = await readTabOrder(page)
    t.match(stops[0], 'Skip to content', `${path}: the link that skips the navigation comes first`)
    t.strictSame(faults, [], `${path}: each stop is visible, named and marked`)
    t.strictSame(missed, [], `${path}: every control is a stop`)
    await page.locator('.skip').press('Enter')
    await page.keyboard.press('Tab')
    t.ok(
      await page.evaluate('document.activeElement.closest("main") !== null'),
      `${path}: the link skips the navigation`,
    )
  }
})

t.test('a menu and a dialog return the focus when they close', async (t) => {
  const page = await browser.openPageAs(sample, ada)
  await page.goto('/projects/harbour/docs/onboarding')
  const isFocused = async (one: Locator) => (await one.and(page.locator(':focus')).count()) === 1
  // Browsers move the focus in a later turn.
  const hasFocus = async (one: Locator, why: string) => {
    await one.and(page.locator(':focus')).waitFor()
    t.pass(why)
  }
  const more = page.getByRole('button', { name: 'More actions' })
  await more.press('Enter')
  const remove = page.getByRole('button', { name: 'Move to trash' })
  await remove.waitFor()
  await page.keyboard.press('Tab')
  t.notOk(await isFocused(more), 'Tab enters the menu')
  await page.keyboard.press('Escape')
  await remove.waitFor({ state: 'hidden' })
  await hasFocus(more, 'a closed menu returns the focus')
  await more.press('Enter')
  await remove.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  t.ok(await page.evaluate('document.activeElement.closest("dialog") !== null'), 'a dialog takes the focus')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await hasFocus(more, 'a cancelled dialog returns the focus to its menu')
  await page.goto('/projects/harbour/docs/onboarding')
  await more.focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
  await hasFocus(more, 'the list of shortcuts returns the focus')
  await page.goto(`/rooms/${sample.ids.release}`)
  const menu = page.locator('.message details.actions summary').last()
  await menu.press('Enter')
  await page.locator('details.actions[open]').waitFor()
  await page.keyboard.press('Tab')
  t.notOk(await isFocused(menu), 'Tab enters the menu of a message')
  await page.keyboard.press('Escape')
  t.equal(await page.locator('details.actions[open]').count(), 0)
  await hasFocus(menu, 'a closed menu of a message returns the focus')
})

t.test('without script, every page is readable and has no control that does nothing', async (t) => {
  const readers = new Map<string | null, Page>()
  const open = (as: SamplePage['as'] = 'ada') => {
    const stat = { window: 'phone', javaScriptEnabled: false } as const
    return as === null
      ? browser.openSignedOutPage(sample, stat)
      : browser.openPageAs(sample, sample.people[as], stat)
  }
  for (const { name, path, as = 'ada', status = 200, isAlone = as === null } of samplePages(sample)) {
    const page = readers.get(as) ?? (await open(as))
    readers.set(as, page)
    if (status >= 400) browser.expectError(page, new RegExp(`status of ${status}`))
    await page.goto(path)
    const { headings, beyond, idle, hasNotice } = await scriptlessPage(page)
    t.equal(headings, 1, `${name} shows one main heading`)
    t.ok(beyond <= 0, `${name} is wider than the window by ${beyond}`)
    t.strictSame(idle, [], `${name} shows no control that needs script`)
    if (!isAlone) t.ok(hasNotice, `${name} says what needs script`)
  }
})

/** The kinds of things that addresses lead to, each with the form of its address. */
const kinds: Record<string, RegExp> = {
  project: /^\/projects\/[\w-]+$/,
  document: /^\/projects\/[\w-]+\/docs\/[^?#]+$/,
  draft: /^\/projects\/[\w-]+\/drafts\/[^?#]+$/,
  post: /^\/projects\/[\w-]+\/posts\/[^?#]+$/,
  comment: /^\/projects\/[\w-]+\/posts\/[^?#]+\?at=cmt_\w+#cmt_\w+$/,
  card: /^\/projects\/[\w-]+\/board\/\d+$/,
  plan: /^\/projects\/[\w-]+\/plan$/,
  map: /^\/projects\/[\w-]+\/map$/,
  asks: /^\/projects\/[\w-]+\/asks(?:#\w+)?$/,
  links: /^\/projects\/[\w-]+\/links$/,
  pull: /^\/projects\/[\w-]+\/pulls\/\d+$/,
  room: /^\/rooms\/[\w-]+$/,
  message: /^\/rooms\/[\w-]+\?(?:at|thread)=msg_\w+(?:&[^#]+)?#msg_\w+$/,
}

t.test('every URL in the interface’s answers opens a page that shows the right thing', async (t) => {
  const reader = await new ScriptlessBrowser(sample).signIn(ada.key)
  const { addresses, named } = await crawl(sample, ada)
  for (const [kind, form] of Object.entries(kinds))
    t.ok(
      addresses.some(({ path }) => form.test(path)),
      `the answers hold an address of a ${kind}`,
    )
  const others = addresses.filter(({ path }) => !Object.values(kinds).some((form) => form.test(path)))
  t.strictSame(others, [], 'every address is of a known kind')
  let led = 0
  for (const { path, title, from, isFormer } of addresses) {
    const [target, fragment] = path.split('#') as [string, string?]
    let response = await reader.open(target)
    if (isFormer && response.status === 303) {
      led += 1
      response = await reader.open(response.headers.location!)
    }
    t.equal(response.status, 200, `${path}, from ${from}`)
    if (title !== undefined && !isFormer)
      t.ok(response.text.includes(escapeHtml(title)), `${path} shows ${title}`)
    if (fragment !== undefined) t.ok(response.text.includes(`id="${fragment}"`), `${path} has that id`)
  }
  t.ok(led >= 2, 'former addresses redirect to the present ones')
  t.ok(named.length > 3, `paths named in texts: ${named}`)
  for (const path of named) {
    const { status } = await sample.request('GET', path, { key: ada.key })
    // A room may be named before it is joined, and a path may accept POST alone.
    const may = path.startsWith('/v1/fs/rooms/') ? [200, 403] : [200, 405]
    t.ok(may.includes(status), `${path}, from a text, answers ${status}`)
  }
})
