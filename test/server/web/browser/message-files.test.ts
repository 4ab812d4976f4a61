import t from 'tap'
import { openSite } from '../../../core/previews/site.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messageField, messagesWith, waitForRoom, waitUntilTrue } from '../../../support/room-pages.ts'

const site = await openSite(t)
const browser = await openBrowser(t)
const chat = await openChat(t, { config: { outbound: { allow: ['127.0.0.1'] } } })
const grace = await chat.person('Grace')
const linus = await chat.person('Linus')
const pages = {
  laptop: await browser.openPageAs(chat, grace),
  phone: await browser.openPageAs(chat, grace, { window: 'phone' }),
}
const file = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 tide') })

for (const [window, page] of Object.entries(pages)) {
  t.test(
    `on a ${window} an upload to a room can be cancelled, and a sent file is shown as a card`,
    async (t) => {
      const { _id: room } = await chat.room(grace, { name: `Files ${window}`, type: 'closed' })
      await page.goto(`/rooms/${room}`)
      await waitForRoom(page)
      const input = page.locator('.talk input[type="file"]')
      const uploads = page.locator('.talk .uploads')
      const field = page.locator('#message')
      await page.route('**/attachments?*', () => {}, { times: 1 })
      browser.expectError(page, /ERR_ABORTED/)
      await input.setInputFiles([file('slow.pdf')])
      await uploads.getByRole('progressbar', { name: 'Uploading slow.pdf' }).waitFor()
      await uploads.getByRole('button', { name: 'Cancel the upload of slow.pdf' }).click()
      await page.locator('.talk .uploads:empty').waitFor({ state: 'attached' })
      t.equal(await field.inputValue(), '')
      await page.unroute('**/attachments?*')

      await input.setInputFiles([file('tides [1].pdf')])
      await page.locator('.talk .uploads:empty').waitFor({ state: 'attached' })
      t.match(await field.inputValue(), `](/v1/fs/rooms/${room}/attachments/att_`)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      const card = page.getByRole('article').getByRole('link', { name: /^tides \[1\]\.pdf\s*PDF, 13 bytes$/ })
      await card.waitFor()
      t.equal(await card.getAttribute('download'), 'tides [1].pdf')
      const box = (await card.boundingBox())!
      t.ok(
        box.height >= 44 && box.x >= 0 && box.x + box.width <= page.viewportSize()!.width,
        'the card fits the window and is large enough to tap',
      )
      const response = await chat.request('GET', (await card.getAttribute('href'))!, { key: undefined })
      t.match([response.status, response.text], [200, '%PDF-1.7 tide'])
    },
  )

  t.test(`on a ${window} the preview of a link arrives without moving what is read`, async (t) => {
    const { _id: room } = await chat.room(grace, { name: `Links ${window}`, members: [linus.member.id] })
    await page.goto(`/rooms/${room}`)
    const first = await chat.post(linus, room, 'Read this')
    for (let n = 1; n <= 30; n++) await chat.post(linus, room, `Number ${n} of 30`)
    const last = page.getByRole('article').filter({ hasText: 'Number 30 of 30' })
    await last.waitFor()
    await page.evaluate('scrollBy(0, -200)')
    const before = (await last.boundingBox())!.y
    await chat.edit(linus, room, first, `Read ${site.url}${window}`)
    const preview = page.getByRole('list', { name: 'Linked pages' })
    await preview.getByRole('link', { name: `Page /${window}` }).waitFor({ state: 'attached' })
    t.ok(Math.abs((await last.boundingBox())!.y - before) < 1)
  })
}

t.test('a chosen or dropped file becomes a link for every member of the room', async (t) => {
  const ada = await browser.openPageAs(chat, chat.owner)
  t.teardown(() => ada.context().close())
  const { phone } = pages
  await phone.goto('/rooms/general')
  await ada.goto('/rooms/general')
  await waitForRoom(ada)
  await ada.getByLabel('Files to attach').setInputFiles({
    name: 'tides (1).txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('high, low'),
  })
  await waitUntilTrue(ada, 'document.getElementById("message").value.includes("](/v1/fs/rooms/")')
  await ada.evaluate(`(() => {
    const data = new DataTransfer()
    data.items.add(new File(['x'], 'drawing.txt', { type: 'text/plain' }))
    document.querySelector('.talk').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  })()`)
  await waitUntilTrue(ada, 'document.getElementById("message").value.includes("drawing.txt")')
  await messageField(ada).press('Enter')
  const [href] = await Promise.all([
    messagesWith(ada, 'drawing.txt').getByRole('link', { name: 'tides (1).txt' }).getAttribute('href'),
    messagesWith(phone, 'drawing.txt').waitFor(),
  ])
  t.equal((await chat.request('GET', href!, { key: undefined })).text, 'high, low')
})
