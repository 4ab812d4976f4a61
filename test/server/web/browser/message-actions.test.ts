import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messagesWith, waitForRoom } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace', 'general')
const slug = 'quay'
const { _id: room } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })
const pages = {
  laptop: await browser.openPageAs(chat, grace),
  phone: await browser.openPageAs(chat, grace, { window: 'phone' }),
}
for (const page of Object.values(pages))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
const first = await chat.post(owner, room, 'The first of a group')
const second = await chat.post(owner, room, 'The second of a group')
const third = await chat.post(owner, room, 'The third of a group')

async function open(page: Page): Promise<void> {
  await page.goto(`/rooms/${slug}`)
  await waitForRoom(page)
}
async function choose(page: Page, words: string, action: string): Promise<void> {
  await messagesWith(page, words).hover()
  await messagesWith(page, words).getByLabel('Actions for the message by Ada').click()
  await page.getByRole('button', { name: action, exact: true }).click()
}

for (const [window, page] of Object.entries(pages)) {
  t.test(`on a ${window} each message of a group shows its time, which is a link to it`, async (t) => {
    await open(page)
    const time = messagesWith(page, 'The third').locator('.at')
    await time.waitFor({ state: 'visible' })
    t.match(await time.innerText(), /\d\d:\d\d/)
    const text = (await messagesWith(page, 'The third').locator('.text p').boundingBox())!
    const box = (await time.boundingBox())!
    t.ok(box.x + box.width <= page.viewportSize()!.width, 'the time is within the window')
    t.ok(Math.abs(box.y - text.y) < 12, 'the time is beside the text')
    await time.click()
    await page.waitForURL((url) => url.hash === `#${third}`)
  })

  t.test(`on a ${window} a message's link can be copied, and opens the message`, async (t) => {
    await open(page)
    await choose(page, 'The second', 'Copy link')
    await page.getByText('Link copied.').waitFor()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    t.equal(link, `${chat.url}/rooms/${slug}?at=${second}#${second}`)
    await page.goto(link)
    t.equal(await page.evaluate(`document.querySelector(':target')?.id`), second)
  })

  t.test(`on a ${window} Quote appends a message to the text in the field`, async (t) => {
    await open(page)
    const field = page.getByRole('main').getByLabel('Message', { exact: true })
    await field.fill('See')
    await choose(page, 'The second', 'Quote')
    t.equal(
      await field.inputValue(),
      `See\n\n> [Ada](/rooms/${slug}?at=${second}#${second}) wrote:\n>\n> The second of a group\n\n`,
    )
    t.equal(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA')
    await field.fill('')
  })

  t.test(`on a ${window} a room stays unread from the message that its reader chose`, async (t) => {
    await open(page)
    await choose(page, 'The second', 'Mark unread from here')
    await page.getByText('Marked as unread.').waitFor()
    await page.locator(`#new-line[data-before="${second}"]`).waitFor()
    await page.goto('/')
    const unread = async () =>
      (await chat.call(grace, 'PUT', `/rooms/${room}/read`, { messageId: first })).json.unread
    t.equal(await unread(), 2)
  })
}
