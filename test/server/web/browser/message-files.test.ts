import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { openSite } from '../../../core/previews/site.ts'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messageField, messagesWith, waitForRoom, waitUntilTrue } from '../../../support/room-pages.ts'

const site = await openSite(t)
const browser = await openBrowser(t)
const chat = await openChat(t, { config: { outbound: { allow: ['127.0.0.1'] } } })
const grace = await chat.person('Grace', 'general')
const linus = await chat.person('Linus')
const ada = await browser.openPageAs(chat, chat.owner)
const hers = await browser.openPageAs(chat, grace, { window: 'phone' })

const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 tide') })
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const png = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') })

/** A room of its own for a test, open on Grace's page in a window of this size. */
async function openRoom(window: 'laptop' | 'phone', type: 'open' | 'closed' = 'open'): Promise<string> {
  const { _id: id } = await chat.room(grace, { type, members: [linus.member.id] })
  await browser.resize(hers, window)
  await hers.goto(`/rooms/${id}`)
  await waitForRoom(hers)
  return id
}
const fileInput = (page: Page) => page.locator('.talk input[type="file"]')
const uploaded = () => hers.locator('.talk .uploads:empty').waitFor({ state: 'attached' })
const send = () => hers.getByRole('button', { name: 'Send', exact: true }).click()
const picture = (name: string) => hers.getByRole('article').getByRole('img', { name, exact: true })
/** Waits until the conversation shows the picture, loaded and within the window. */
async function checkShown(t: Test, name: string): Promise<void> {
  await picture(name).waitFor()
  await chat.eventually(() =>
    picture(name).evaluate((image: unknown) => (image as { naturalWidth: number }).naturalWidth === 1),
  )
  const { x, width } = (await picture(name).boundingBox())!
  t.ok(x >= 0 && x + width <= (await hers.evaluate<number>('innerWidth')), `${name} fits the window`)
}
/** Gives a file to an element, as a browser does when it is pasted or dropped there. */
const give = (page: Page, type: 'paste' | 'drop', selector: string, name: string, mimeType: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${pixel}'), (letter) => letter.charCodeAt(0))
    data.items.add(new File([bytes], '${name}', { type: '${mimeType}' }))
    const options = { bubbles: true, cancelable: true }
    document.querySelector('${selector}').dispatchEvent('${type}' === 'drop'
      ? new DragEvent('drop', { dataTransfer: data, ...options })
      : new ClipboardEvent('paste', { clipboardData: data, ...options }))
  })()`)

t.test('an upload to a room can be cancelled, and a sent file is shown as a card', async (t) => {
  const room = await openRoom('phone', 'closed')
  const uploads = hers.locator('.talk .uploads')
  await hers.route('**/attachments?*', () => {}, { times: 1 })
  browser.expectError(hers, /ERR_ABORTED/)
  await fileInput(hers).setInputFiles([pdf('slow.pdf')])
  await uploads.getByRole('progressbar', { name: 'Uploading slow.pdf' }).waitFor()
  await uploads.getByRole('button', { name: 'Cancel the upload of slow.pdf' }).tap()
  await uploaded()
  t.equal(await messageField(hers).inputValue(), '')
  await hers.unroute('**/attachments?*')

  await fileInput(hers).setInputFiles([pdf('tides [1].pdf')])
  await uploaded()
  t.match(await messageField(hers).inputValue(), `](/v1/fs/rooms/${room}/attachments/att_`)
  await send()
  const card = hers.getByRole('article').getByRole('link', { name: /^tides \[1\]\.pdf\s*PDF, 13 bytes$/ })
  await card.waitFor()
  t.equal(await card.getAttribute('download'), 'tides [1].pdf')
  for (const window of ['phone', 'laptop'] as const) {
    await browser.resize(hers, window)
    const { x, width, height } = (await card.boundingBox())!
    const fits = x >= 0 && x + width <= (await hers.evaluate<number>('innerWidth'))
    t.ok(height >= 44 && fits, `the card fits the window of a ${window} and is large enough to tap`)
  }
  const response = await chat.request('GET', (await card.getAttribute('href'))!, { key: undefined })
  t.match([response.status, response.text], [200, '%PDF-1.7 tide'])
})

t.test('a pasted or dropped picture is shown in the conversation', async (t) => {
  const room = await openRoom('phone', 'closed')
  for (const [way, window] of [
    ['paste', 'phone'],
    ['drop', 'laptop'],
  ] as const) {
    await browser.resize(hers, window)
    await give(hers, way, '#message', `${way}.png`, 'image/png')
    await waitUntilTrue(hers, 'document.getElementById("message").value !== ""')
    await uploaded()
    await send()
    await checkShown(t, `${way}.png`)
    const [sent] = (await chat.page(grace, room)).page
    t.match(sent?.body, `![${way}.png](/v1/fs/rooms/${room}/attachments/att_`, 'it belongs to the room')
  }
  await checkAccessibility(t, hers)
})

t.test(
  'pictures are shown at a height known before they load, open above the page, and keys lead to the others',
  async (t) => {
    const room = await openRoom('laptop')
    await fileInput(hers).setInputFiles([png('crane.png'), png('tide.png')])
    await uploaded()
    await send()
    await checkShown(t, 'crane.png')
    await checkShown(t, 'tide.png')

    await hers.locator('article a.picture').first().click()
    const box = hers.getByRole('dialog', { name: 'Picture' })
    await box.getByText('(1 of 2)').waitFor()
    await hers.keyboard.press('ArrowRight')
    await box.getByText('(2 of 2)').waitFor()
    await hers.keyboard.press('ArrowRight')
    t.ok(await box.getByText('(2 of 2)').isVisible(), 'there is none after the last')
    await browser.resize(hers, 'phone')
    await box.getByRole('button', { name: 'Previous' }).tap()
    await box.getByText('(1 of 2)').waitFor()
    await hers.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    t.ok(
      await hers.evaluate(`document.activeElement === document.querySelector('article a.picture')`),
      'closing returns the focus',
    )

    const path = `/api/rooms/${room}/attachments?name=dawn.png`
    const headers = { 'Content-Type': 'image/png' }
    const { json } = await chat.request('POST', path, { key: grace.key, headers, body: png('').buffer })
    await chat.post(linus, room, `Look: ![The crane at dawn](${json.path})`)
    await checkShown(t, 'The crane at dawn')
    const heightIn = async (window: 'laptop' | 'phone') => {
      await browser.resize(hers, window)
      return (await picture('tide.png').boundingBox())!.height
    }
    const heights = [await heightIn('phone'), await heightIn('laptop')]
    await hers.route('**/download/**', (route) => route.abort())
    browser.expectError(hers, /ERR_FAILED/)
    await hers.reload()
    await picture('tide.png').waitFor()
    t.same([await heightIn('phone'), await heightIn('laptop')], heights)
    await hers.unroute('**/download/**')
  },
)

t.test('the preview of a link arrives without moving what is read', async (t) => {
  const room = await openRoom('laptop')
  const first = await chat.post(linus, room, 'Read this')
  for (let n = 1; n <= 30; n++) await chat.post(linus, room, `Number ${n} of 30`)
  const last = messagesWith(hers, 'Number 30 of 30')
  await last.waitFor()
  for (const window of ['laptop', 'phone'] as const) {
    await browser.resize(hers, window)
    await hers.evaluate('scrollTo(0, document.documentElement.scrollHeight - innerHeight - 200)')
    const before = (await last.boundingBox())!.y
    await chat.edit(linus, room, first, `Read ${site.url}${window}`)
    const preview = hers.getByRole('list', { name: 'Linked pages' })
    await preview.getByRole('link', { name: `Page /${window}` }).waitFor({ state: 'attached' })
    t.ok(Math.abs((await last.boundingBox())!.y - before) < 1, `on a ${window}`)
  }
})

t.test('a chosen or dropped file becomes a link for every member of the room', async (t) => {
  await browser.resize(hers, 'phone')
  await hers.goto('/rooms/general')
  await ada.goto('/rooms/general')
  await waitForRoom(ada)
  await ada.getByLabel('Files to attach').setInputFiles({
    name: 'tides (1).txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('high, low'),
  })
  await waitUntilTrue(ada, 'document.getElementById("message").value.includes("](/v1/fs/rooms/")')
  await give(ada, 'drop', '.talk', 'drawing.txt', 'text/plain')
  await waitUntilTrue(ada, 'document.getElementById("message").value.includes("drawing.txt")')
  await messageField(ada).press('Enter')
  const [href] = await Promise.all([
    messagesWith(ada, 'drawing.txt').getByRole('link', { name: 'tides (1).txt' }).getAttribute('href'),
    messagesWith(hers, 'drawing.txt').waitFor(),
  ])
  t.equal((await chat.request('GET', href!, { key: undefined })).text, 'high, low')
})
