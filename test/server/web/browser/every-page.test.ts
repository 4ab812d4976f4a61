import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { escapeHtml } from '../../../../core/text/escape-html.ts'
import { endpointsOfApp } from '../../../support/app-endpoints.ts'
import { obstacles } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openBeside } from '../../../support/co-editors.ts'
import { walkByKeyboard } from '../../../support/focus-walk.ts'
import { bidi, makeHostile } from '../../../support/hostile-sample.ts'
import {
  overflowWidth,
  pageStructure,
  policyOf,
  policyViolations,
  unscripted,
} from '../../../support/page-structure.ts'
import { crawl } from '../../../support/sample-addresses.ts'
import { type SamplePage, samplePages } from '../../../support/sample-pages.ts'
import { openSample } from '../../../support/sample-workspace.ts'
import { ScriptlessBrowser } from '../../../support/scriptless-browser.ts'

const browser = await openBrowser(t)
const sample = await openSample(t)
const { ada } = sample.people
// What holds where somebody means harm holds elsewhere, too: each page is opened once.
const hostile = await makeHostile(sample)
const pages = [...samplePages(sample), ...hostile]

const windows = new Map<string | null, Page>()
const windowOf = async (as: SamplePage['as'] = 'ada') => {
  const open = async () => {
    if (as === null) return browser.visitor(sample, { window: 'phone' })
    return browser.person(sample, sample.people[as], { window: 'phone' })
  }
  const page = windows.get(as) ?? (await open())
  windows.set(as, page)
  return page
}

/** The rules of axe that another size or other colours can break. What is the same in both need not be asked twice. */
const ofLooks = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'aria-hidden-focus']

/** Each page is opened in the window in which the one before was left, and then looked at in the other one, too. */
const shapes = new Map<Page, 'phone' | 'laptop'>()

/** What was found is of the moment at which it was asked for, and some pages only lead to where something is written. */
const still = /^\/search|^\/help|\/edit\/posts\/|\/new$/

for (const { name, path, as, status = 200, isAlone = as === null, coEditors = [] } of pages) {
  t.test(
    `${name}: whole, harmless, for everybody, on a phone and on a laptop, by day and by night`,
    async (t) => {
      const isHostile = hostile.some((one) => one.name === name)
      const page = await windowOf(as)
      const first = shapes.get(page) ?? 'phone'
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
      // Hostile pages are of the same kinds as the others.
      if (!isHostile) t.strictSame(await obstacles(page), [], `on a ${first}, by day`)
      shapes.set(page, second)
      await browser.resize(page, second)
      await page.emulateMedia({ colorScheme: 'dark' })
      t.ok((await overflowWidth(page)) <= 0, `nothing stands out to the side on a ${second}`)
      if (!isHostile) t.strictSame(await obstacles(page, ofLooks), [], `on a ${second}, by night`)
      // By now all has started that a page starts by itself.
      const { headings, title, landmarks, harm } = await pageStructure(page)
      t.equal(headings.length, 1, `one heading: ${headings}`)
      t.match(headings[0], /\S/)
      t.match(title, /^.+ · Testers$/)
      t.strictSame(landmarks, isAlone ? ['header', 'main'] : ['header', 'nav', 'main'])
      const isFollowing = (await page.locator('main [data-live][id]').count()) > 0
      t.equal(isFollowing, !isAlone && status < 400 && !still.test(path), 'whether it changes by itself')
      t.strictSame(harm, [], 'nothing that was written runs, leads to what does, or turns its surroundings')
    },
  )
}

t.test('what scripts draw of hostile names and texts stays words, each apart from the next', async (t) => {
  const page = await browser.person(sample, ada)
  const pathOf = (name: string) => hostile.find((one) => one.name === name)!.path
  const isHarmless = async (where: string) => t.strictSame((await pageStructure(page)).harm, [], where)
  const isApart = async (names: string, where: string) => {
    const all = `[...document.querySelectorAll(${JSON.stringify(names)})]`
    const held = await page.evaluate<string[]>(`${all}.map((one) => getComputedStyle(one).unicodeBidi)`)
    t.ok(held.length > 0 && held.every((one) => /isolate|plaintext/.test(one)), `${where}: ${held}`)
    await isHarmless(where)
  }

  await page.goto(pathOf('hostile-document'))
  const here = page.getByRole('list', { name: 'Here now' })
  await here.getByText('evil').waitFor({ state: 'attached' })
  await isApart('.here bdi', 'who is here')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Move to trash' }).click()
  const dialog = page.getByRole('dialog')
  t.match(await dialog.innerText(), /“\u2068\u202Eevil\u2069”/, 'a question holds a name apart')
  await isHarmless('a question')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.goto(pathOf('hostile-member'))
  await page.getByRole('button', { name: 'Deactivate' }).click()
  t.match(await dialog.innerText(), /Deactivate \u2068\u202Eevil\u2069\?/)
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await page.keyboard.press('/')
  for (const words of ['evil', 'script', 'img src']) {
    await page.locator('#finder').fill(words)
    const found = page.getByRole('listbox', { name: 'Found' }).getByRole('option').filter({ hasText: words })
    await found.first().waitFor()
    await isApart('#found [role=option] bdi', `what is found of ${words}`)
  }

  await page.goto(`/rooms/${sample.ids.release}`)
  const composer = page.locator('form[data-composer] textarea').first()
  await composer.click()
  for (const words of [bidi, '<scr', '">']) {
    await composer.fill('')
    await page.keyboard.type(`@${words}`)
    await page.getByRole('listbox', { name: 'Members' }).getByRole('option').first().waitFor()
    await isApart('.completion [role=option] bdi', `whom @${words} may mean`)
    await page.keyboard.press('Escape')
  }
  await composer.fill('')

  await page.goto(pathOf('hostile-edit'))
  const preview = page.locator('.editor-preview')
  await preview.getByText('hacked=1').first().waitFor()
  await isHarmless('the preview')
  await page.locator('.cm-content').press('Control+End')
  for (const begun of ['@', '[[hacked']) {
    await page.keyboard.insertText('\n\n')
    await page.keyboard.type(begun)
    const offered = page.locator('.cm-tooltip-autocomplete li').filter({ hasText: /evil|hacked/ })
    await offered.first().waitFor()
    await isApart('.cm-completionLabel', `what ${begun} may mean`)
    await page.keyboard.press('Escape')
  }
  await preview.getByText('[[hacked').waitFor()
  await isHarmless('the preview of what was written on')
  await page.close()
})

t.test('from the keyboard every stop is reached, seen and named, and none is a trap', async (t) => {
  const page = await browser.person(sample, ada)
  // What shows that their script has begun, which may put the reader elsewhere.
  const begun = {
    [`/rooms/${sample.ids.release}`]: "history.scrollRestoration === 'manual'",
    '/projects/harbour/docs/onboarding': "document.querySelector('#outline [aria-current]') !== null",
    '/projects/harbour/board': "document.querySelector('#board-filter:not([hidden])') !== null",
  }
  for (const [path, hasBegun] of Object.entries(begun)) {
    await page.goto(path)
    await sample.eventually(() => page.evaluate<boolean>(hasBegun))
    const { stops, missed, faults } = await walkByKeyboard(page)
    t.match(stops[0], 'Skip to content', `${path}: the way past the frame comes first`)
    t.strictSame(faults, [], `${path}: each stop is seen, named and marked`)
    t.strictSame(missed, [], `${path}: whatever can be used is a stop`)
    await page.locator('.skip').press('Enter')
    await page.keyboard.press('Tab')
    t.ok(
      await page.evaluate('document.activeElement.closest("main") !== null'),
      `${path}: it leads past the frame`,
    )
  }
})

t.test('a menu and a dialog give back the focus', async (t) => {
  const page = await browser.person(sample, ada)
  await page.goto('/projects/harbour/docs/onboarding')
  const isFocused = async (one: Locator) => (await one.and(page.locator(':focus')).count()) === 1
  // Browsers move the focus in a turn of its own.
  const hasFocus = async (one: Locator, why: string) => {
    await one.and(page.locator(':focus')).waitFor()
    t.pass(why)
  }
  const more = page.getByRole('button', { name: 'More actions' })
  await more.press('Enter')
  const remove = page.getByRole('button', { name: 'Move to trash' })
  await remove.waitFor()
  await page.keyboard.press('Tab')
  t.notOk(await isFocused(more), 'the menu is entered')
  await page.keyboard.press('Escape')
  await remove.waitFor({ state: 'hidden' })
  await hasFocus(more, 'a menu that is closed')
  await more.press('Enter')
  await remove.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  t.ok(await page.evaluate('document.activeElement.closest("dialog") !== null'), 'a dialog takes the focus')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await hasFocus(more, 'a dialog that is called off, to the menu from which it came')
  await page.goto('/projects/harbour/docs/onboarding')
  await more.focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
  await hasFocus(more, 'the list of keys')
  await page.goto(`/rooms/${sample.ids.release}`)
  const menu = page.locator('.message details.actions summary').last()
  await menu.press('Enter')
  await page.locator('details.actions[open]').waitFor()
  await page.keyboard.press('Tab')
  t.notOk(await isFocused(menu), 'the menu of a message is entered')
  await page.keyboard.press('Escape')
  t.equal(await page.locator('details.actions[open]').count(), 0)
  await hasFocus(menu, 'the menu of a message that is closed')
})

t.test('without script every page is read as well, and offers nothing that would do nothing', async (t) => {
  const readers = new Map<string | null, Page>()
  const open = (as: SamplePage['as'] = 'ada') => {
    const stat = { window: 'phone', javaScriptEnabled: false } as const
    return as === null ? browser.visitor(sample, stat) : browser.person(sample, sample.people[as], stat)
  }
  for (const { name, path, as = 'ada', status = 200, isAlone = as === null } of samplePages(sample)) {
    const page = readers.get(as) ?? (await open(as))
    readers.set(as, page)
    if (status >= 400) browser.expect(page, new RegExp(`status of ${status}`))
    await page.goto(path)
    const { headings, beyond, idle, isSaid } = await unscripted(page)
    t.equal(headings, 1, `${name} has one heading in sight`)
    t.ok(beyond <= 0, `${name} stands out to the side by ${beyond}`)
    t.strictSame(idle, [], `${name} has no button that does nothing`)
    if (!isAlone) t.ok(isSaid, `${name} says what takes script`)
  }
})

/** What is no page: for programs, for pages to load, and files as they were uploaded. */
const otherRoutes =
  /^\/(?:(?:api|v1|dav|metrics|healthz|assets|avatars|icons|download|mcp|navigation)(?:\/|$)|manifest\.webmanifest$|openapi\.json$|llms\.txt$|service-worker\.js$|projects\/:slug\/files\/)/

t.test('no page is missing here', async (t) => {
  const paths = pages.map(({ path }) => path.split('?')[0]!)
  for (const { method, path } of endpointsOfApp(sample.workspace)) {
    if (method !== 'GET' || otherRoutes.test(path)) continue
    const route = new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')}$`)
    t.ok(
      paths.some((one) => route.test(one)),
      `${path} has a page in sample-pages.ts`,
    )
  }
})

t.test('a file that was uploaded runs nothing, and is shown in place only where it could not', async (t) => {
  const reader = await new ScriptlessBrowser(sample).signIn(ada.key)
  const { json } = await sample.request('GET', '/v1/fs/projects/harbour/library/files')
  const names: string[] = json.files.map(({ name }: { name: string }) => name)
  for (const name of names) {
    const { status, headers } = await reader.open(`/projects/harbour/files/${encodeURIComponent(name)}`)
    t.equal(status, 200, name)
    t.match(headers['content-security-policy'], /default-src 'none'.*sandbox/)
    t.match(headers['content-disposition'], /\.(?:png|txt)$/.test(name) ? /^inline/ : /^attachment/)
  }
  t.ok(names.some((name) => /\.html$/.test(name)) && names.some((name) => /\.svg$/.test(name)))
})

/** What addresses lead to, each by where it stands. */
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

t.test('every url that is answered opens a page which shows what it was said to', async (t) => {
  const reader = await new ScriptlessBrowser(sample).signIn(ada.key)
  const { addresses, named } = await crawl(sample, ada)
  for (const [kind, form] of Object.entries(kinds))
    t.ok(
      addresses.some(({ path }) => form.test(path)),
      `${kind} is among them`,
    )
  const others = addresses.filter(({ path }) => !Object.values(kinds).some((form) => form.test(path)))
  t.strictSame(others, [], 'and nothing of a kind that nobody knows')
  let led = 0
  for (const { path, title, from, isFormer } of addresses) {
    const [target, fragment] = path.split('#') as [string, string?]
    let answer = await reader.open(target)
    if (isFormer && answer.status === 303) {
      led += 1
      answer = await reader.open(answer.headers.location!)
    }
    t.equal(answer.status, 200, `${path}, as ${from} says`)
    if (title !== undefined && !isFormer)
      t.ok(answer.text.includes(escapeHtml(title)), `${path} shows ${title}`)
    if (fragment !== undefined) t.ok(answer.text.includes(`id="${fragment}"`), `${path} has the place`)
  }
  t.ok(led >= 2, 'what was a draft, or stood elsewhere, leads to where it is')
  t.ok(named.length > 3, `texts name ${named}`)
  for (const path of named) {
    const { status } = await sample.request('GET', path, { key: ada.key })
    // A room is named before it is joined, and a path may be there to be sent to.
    const may = path.startsWith('/v1/fs/rooms/') ? [200, 403] : [200, 405]
    t.ok(may.includes(status), `${path}, as a text says: ${status}`)
  }
})
