import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { waitForRoom } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const grace = await chat.person('Grace')
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const file = (name: string) => ({ name, mimeType: 'image/png', buffer: pixel })
const pages = {
  laptop: await browser.openPageAs(chat, grace),
  phone: await browser.openPageAs(chat, grace, { window: 'phone' }),
}

for (const page of Object.values(pages)) page.setDefaultTimeout(10_000)

const picture = (page: Page, name: string) => page.getByRole('article').getByRole('img', { name })
const height = async (page: Page, name: string) => (await picture(page, name).boundingBox())!.height

for (const [window, page] of Object.entries(pages)) {
  t.test(
    `on a ${window} pictures sent to a room are shown, at a height known before they load`,
    async (t) => {
      const { _id: room } = await chat.room(grace, { name: `Pictures ${window}` })
      await page.goto(`/rooms/${room}`)
      await waitForRoom(page)
      await page
        .locator('.talk input[type="file"]')
        .setInputFiles([file(`crane ${window}.png`), file(`tide ${window}.png`)])
      await page.locator('.talk .uploads:empty').waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await picture(page, `crane ${window}.png`).waitFor()
      await picture(page, `tide ${window}.png`).waitFor()
      const before = await height(page, `tide ${window}.png`)
      await page.route('**/download/**', (route) => route.abort())
      browser.expectError(page, /ERR_FAILED/)
      await page.reload()
      await picture(page, `tide ${window}.png`).waitFor()
      t.equal(await height(page, `tide ${window}.png`), before)
      await page.unroute('**/download/**')
    },
  )

  t.test(`on a ${window} a picture opens above the page, and keys lead to the others`, async (t) => {
    await page.reload()
    await waitForRoom(page)
    const links = page.locator('article a.picture')
    await links.first().click()
    const box = page.getByRole('dialog', { name: 'Picture' })
    await box.getByText('(1 of 2)').waitFor()
    await page.keyboard.press('ArrowRight')
    await box.getByText('(2 of 2)').waitFor()
    await page.keyboard.press('ArrowRight')
    await box.getByText('(2 of 2)').waitFor()
    await box.getByRole('button', { name: 'Previous' }).click()
    await box.getByText('(1 of 2)').waitFor()
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    t.ok(
      await page.evaluate(`document.activeElement === document.querySelector('article a.picture')`),
      'closing returns the focus',
    )
  })
}
