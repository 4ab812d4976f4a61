import type { Page } from 'playwright-core'
import t from 'tap'
import { escapeHtml } from '../../../../core/escape-html.ts'
import { endpointsOfApp } from '../../../support/app-endpoints.ts'
import { obstacles } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { bidi, makeHostile } from '../../../support/hostile-sample.ts'
import { PlainBrowser } from '../../../support/plain-browser.ts'
import { addressesOf } from '../../../support/sample-addresses.ts'
import { type SamplePage, samplePages } from '../../../support/sample-pages.ts'
import { openSample } from '../../../support/sample-workspace.ts'

const browser = await openBrowser(t)
const sample = await openSample(t)
const { ada } = sample.people
// What holds where somebody means harm holds elsewhere, too: each page is opened once.
const hostile = await makeHostile(sample)
const pages = [...samplePages(sample), ...hostile]

/** What a browser makes of a page. */
interface Looks {
  headings: string[]
  title: string
  landmarks: string[]
  width: number
  /** What must not be there, each as a line. */
  harm: string[]
}

const looksOf = (page: Page): Promise<Looks> =>
  page.evaluate<Looks>(`(() => {
    const harm = 'hacked' in globalThis ? ['a hostile text ran'] : []
    const say = (element, what) => harm.push(what + ': ' + element.outerHTML.slice(0, 200))
    for (const element of document.body.querySelectorAll('*')) {
      const names = element.getAttributeNames()
      if (names.some((name) => /^on/.test(name))) say(element, 'would run')
      for (const name of names.filter((one) => /href$|^(?:src|action|formaction|poster|srcset|data)$/.test(one))) {
        const { protocol } = new URL(element.getAttribute(name), document.baseURI)
        const isPicture = element.localName === 'img' && ['data:', 'blob:'].includes(protocol)
        if (!isPicture && !['http:', 'https:', 'mailto:'].includes(protocol)) say(element, 'leads to what runs')
      }
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const holder = text.parentElement
      if (!text.data.includes(${JSON.stringify(bidi)}) || holder.closest('option, noscript, .unseen')) continue
      let around = holder
      while (!/isolate|plaintext/.test(getComputedStyle(around).unicodeBidi)) around = around.parentElement
      const isAlone = around.textContent.trim() === text.data.trim()
      if (!isAlone && around.dir !== 'auto') say(holder, 'turns what stands beside it')
    }
    return {
      headings: [...document.querySelectorAll('h1')].map((one) => one.textContent.trim()),
      title: document.title,
      landmarks: ['header', 'nav', 'main'].filter((name) => document.querySelector(name)),
      width: document.documentElement.scrollWidth,
      harm,
    }
  })()`)

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

for (const { name, path, as, status = 200 } of pages) {
  t.test(`${name}: whole, harmless, for everybody, on a phone, by day and by night`, async (t) => {
    const page = await windowOf(as)
    if (status >= 400) browser.expect(page, new RegExp(`status of ${status}`))
    const answer = await page.goto(path)
    t.equal(answer?.status(), status)
    const { headings, title, landmarks, width, harm } = await looksOf(page)
    t.equal(headings.length, 1, `one heading: ${headings}`)
    t.match(headings[0], /\S/)
    t.match(title, /^.+ · Testers$/)
    t.strictSame(landmarks, as === null ? ['header', 'main'] : ['header', 'nav', 'main'])
    t.strictSame(harm, [], 'nothing that was written runs, leads to what does, or turns its surroundings')
    t.equal(width, 375, 'nothing stands out to the side')
    t.strictSame(await obstacles(page), [], 'by day')
    await page.emulateMedia({ colorScheme: 'dark' })
    t.strictSame(await obstacles(page, ['color-contrast']), [], 'by night')
    await page.emulateMedia({ colorScheme: 'light' })
  })
}

/** What is no page: for programs, for pages to load, and files as they were uploaded. */
const otherRoutes =
  /^\/(?:(?:api|v1|dav|metrics|healthz|assets|download|navigation)(?:\/|$)|projects\/:slug\/files\/)/

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
  const reader = await new PlainBrowser(sample).signIn(ada.key)
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

t.test('every url that is answered opens a page which shows what it was said to', async (t) => {
  const reader = await new PlainBrowser(sample).signIn(ada.key)
  const addresses = await addressesOf(sample, ada)
  t.ok(addresses.length > 40, `${addresses.length} addresses`)
  for (const { path, title, from } of addresses) {
    const [target, fragment] = path.split('#') as [string, string?]
    const { status, text } = await reader.open(target)
    t.equal(status, 200, `${path}, as ${from} says`)
    if (title !== undefined) t.ok(text.includes(escapeHtml(title)), `${path} shows ${title}`)
    if (fragment !== undefined) t.ok(text.includes(`id="${fragment}"`), `${path} has the place`)
  }
})
