import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { waitForRoom } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const grace = await chat.person('Grace')
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const pages = {
  laptop: await browser.openPageAs(chat, grace),
  phone: await browser.openPageAs(chat, grace, { window: 'phone' }),
}

const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click()

/** Pastes a picture into the field, or drops it there, with the events of a browser. */
const give = (page: Page, type: 'paste' | 'drop', name: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${pixel}'), (letter) => letter.charCodeAt(0))
    data.items.add(new File([bytes], '${name}', { type: 'image/png' }))
    const options = { bubbles: true, cancelable: true }
    document.getElementById('message').dispatchEvent('${type}' === 'drop'
      ? new DragEvent('drop', { dataTransfer: data, ...options })
      : new ClipboardEvent('paste', { clipboardData: data, ...options }))
  })()`)

/** Waits until the conversation shows the picture, loaded and within the window. */
async function shown(t: Test, page: Page, name: string): Promise<void> {
  const picture = page.getByRole('article').getByRole('img', { name, exact: true })
  await picture.waitFor()
  await chat.eventually(() =>
    picture.evaluate((image: unknown) => (image as { naturalWidth: number }).naturalWidth === 1),
  )
  const { x, width } = (await picture.boundingBox())!
  const { width: room } = page.viewportSize()!
  t.ok(x >= 0 && x + width <= room, `${name} fits the window`)
}

for (const [window, page] of Object.entries(pages)) {
  t.test(`on a ${window} a pasted or dropped picture is shown in the conversation`, async (t) => {
    const { _id: room } = await chat.room(grace, { name: `Given ${window}`, type: 'closed' })
    await page.goto(`/rooms/${room}`)
    await waitForRoom(page)
    for (const way of ['paste', 'drop'] as const) {
      const name = `${way}.png`
      await give(page, way, name)
      await chat.eventually(async () => (await page.locator('#message').inputValue()) !== '')
      await page.locator('.talk .uploads:empty').waitFor({ state: 'attached' })
      await send(page)
      await shown(t, page, name)
      const [sent] = (await chat.page(grace, room)).page
      t.match(sent?.body, `![${name}](/v1/fs/rooms/${room}/attachments/att_`, 'it belongs to the room')
    }
    await checkAccessibility(t, page)
  })

  t.test(`on a ${window} a picture in markdown is shown in the conversation`, async (t) => {
    const { _id: room } = await chat.room(grace, { name: `Written ${window}` })
    const response = await chat.request('POST', `/api/rooms/${room}/attachments?name=crane.png`, {
      key: grace.key,
      headers: { 'Content-Type': 'image/png' },
      body: Buffer.from(pixel, 'base64'),
    })
    t.equal(response.status, 201)
    await page.goto(`/rooms/${room}`)
    await page.locator('#message').fill(`Look: ![The crane at dawn](${response.json.path})`)
    await send(page)
    await shown(t, page, 'The crane at dawn')
    await page.getByRole('article').filter({ hasText: 'Look:' }).waitFor()
    await page.reload()
    await shown(t, page, 'The crane at dawn')
  })
}
