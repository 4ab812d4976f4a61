import type { Page } from 'playwright-core'
import t from 'tap'
import { findViolations } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { overflowWidth } from '../../../support/page-structure.ts'
import { waitForRoom } from '../../../support/room-pages.ts'
import { sampleBytes } from '../../../support/sample-files.ts'
import { openSample } from '../../../support/sample-workspace.ts'

const browser = await openBrowser(t)
const sample = await openSample(t)
const page = await browser.openPageAs(sample, sample.people.ada)
const document = '/projects/harbour/docs/onboarding'
const room = `/rooms/${sample.ids.release}`
const picture = { name: 'map.png', mimeType: 'image/png', buffer: sampleBytes('files/map.png') }

const ofLooks = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'aria-hidden-focus']

const menuOfMessage = (page: Page) =>
  page
    .locator('.message')
    .last()
    .getByLabel(/^Actions for/)
const named = (name: string | RegExp) => page.getByRole('dialog', { name })
const press = (key: string) => () => page.keyboard.press(key)

interface Opened {
  what: string
  at: string
  open(): Promise<unknown>
  /** The element that is visible while it is open. */
  shown: ReturnType<Page['locator']>
  close(): Promise<unknown>
}

const all: Opened[] = [
  {
    what: 'a picture above the page',
    at: room,
    async open() {
      await waitForRoom(page)
      await page
        .locator('.talk input[type="file"]')
        .setInputFiles([picture, { ...picture, name: 'map-2.png' }])
      await page.locator('.talk .uploads:empty').waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.locator('article a.picture').last().click()
    },
    shown: named('Picture'),
    close: press('Escape'),
  },
  {
    what: 'the menu of a message',
    at: room,
    async open() {
      await page.locator('.message').last().hover()
      await menuOfMessage(page).click()
    },
    shown: page.getByRole('button', { name: 'Other reaction' }),
    close: press('Escape'),
  },
  {
    what: 'the choice of an emoji',
    at: room,
    async open() {
      await page.locator('.message').last().hover()
      await menuOfMessage(page).click()
      await page.getByRole('button', { name: 'Other reaction' }).click()
    },
    shown: named('React'),
    close: press('Escape'),
  },
  {
    what: 'the search field',
    at: document,
    async open() {
      await page.keyboard.press('/')
      await page.locator('#finder').fill('tide')
    },
    shown: page.getByRole('listbox', { name: 'Results' }).getByRole('option').first(),
    close: press('Escape'),
  },
  {
    what: 'the menu of a document',
    at: document,
    open: () => page.getByRole('button', { name: 'More actions' }).click(),
    shown: page.getByRole('button', { name: 'Move to trash' }),
    close: press('Escape'),
  },
  {
    what: 'another name or folder',
    at: document,
    async open() {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('button', { name: 'Rename or move' }).click()
    },
    shown: named('Rename or move'),
    close: press('Escape'),
  },
  {
    what: 'a question',
    at: document,
    async open() {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('button', { name: 'Move to trash' }).click()
    },
    shown: named(/trash/),
    close: press('Escape'),
  },
  {
    what: 'the other parts of a project',
    at: document,
    open: () => page.getByRole('button', { name: 'More', exact: true }).first().click(),
    shown: page.locator('#more-parts').getByRole('link', { name: 'Settings' }),
    close: press('Escape'),
  },
  {
    what: 'the keys',
    at: '/',
    open: press('?'),
    shown: named('Keyboard shortcuts'),
    close: press('Escape'),
  },
]

t.test(
  'every dialog and menu is accessible, on a laptop in light colours and on a phone in dark ones',
  async (t) => {
    for (const { what, at, open, shown, close } of all) {
      await browser.resize(page, 'laptop')
      await page.emulateMedia({ colorScheme: 'light' })
      if (new URL(page.url(), sample.url).pathname !== at) await page.goto(at)
      await open()
      await shown.waitFor()
      t.strictSame(await findViolations(page), [], `${what}, on a laptop`)
      await browser.resize(page, 'phone')
      await page.emulateMedia({ colorScheme: 'dark' })
      t.strictSame(await findViolations(page, ofLooks), [], `${what}, on a phone`)
      t.ok((await overflowWidth(page)) <= 0, `${what} fits the width of the window`)
      await close()
      await shown.waitFor({ state: 'hidden' })
    }
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('#navigation').getByRole('link', { name: 'Inbox' }).waitFor()
    t.strictSame(await findViolations(page), [], 'the menu of a phone')
  },
)
