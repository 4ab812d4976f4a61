import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { chooseAction, messageField, messagesWith, waitForRoom } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace', 'general')
const path = '/rooms/quay'
const { _id: room } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })
await chat.post(owner, room, 'The first of a group')
const second = await chat.post(owner, room, 'The second of a group')
const third = await chat.post(owner, room, 'The third of a group')
const page = await browser.openPageAs(chat, grace, { window: 'phone' })
await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

/** Opens the room in a window of this size. */
async function open(window: 'laptop' | 'phone'): Promise<void> {
  await browser.resize(page, window)
  await page.goto(path)
  await waitForRoom(page)
}
const chip = (words: string, name: string | RegExp) =>
  messagesWith(page, words).getByRole('list', { name: 'Reactions' }).getByRole('button', { name })

t.test('each message of a group shows its time, which is a link to it', async (t) => {
  await open('phone')
  const time = messagesWith(page, 'The third').locator('.at')
  for (const window of ['phone', 'laptop'] as const) {
    await browser.resize(page, window)
    await time.waitFor({ state: 'visible' })
    t.match(await time.innerText(), /\d\d:\d\d/)
    const text = (await messagesWith(page, 'The third').locator('.text p').boundingBox())!
    const box = (await time.boundingBox())!
    const width = await page.evaluate<number>('innerWidth')
    t.ok(box.x + box.width <= width, `on a ${window}, the time is within the window`)
    t.ok(Math.abs(box.y - text.y) < 12, `on a ${window}, the time is beside the text`)
  }
  await time.click()
  await page.waitForURL((url) => url.hash === `#${third}`)
})

t.test('a message’s link can be copied, and opens the message', async (t) => {
  await open('phone')
  await chooseAction(page, 'The second', 'Copy link')
  await page.getByText('Link copied.').waitFor()
  const link = await page.evaluate<string>('navigator.clipboard.readText()')
  t.equal(link, `${chat.url}${path}?at=${second}#${second}`)
  await page.goto(link)
  t.equal(await page.evaluate(`document.querySelector(':target')?.id`), second)
})

t.test('Quote appends a message to the text in the field', async (t) => {
  await open('laptop')
  const field = messageField(page)
  await field.fill('See')
  await chooseAction(page, 'The second', 'Quote')
  t.equal(
    await field.inputValue(),
    `See\n\n> [Ada](${path}?at=${second}#${second}) wrote:\n>\n> The second of a group\n\n`,
  )
  t.equal(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA')
  await field.fill('')
})

t.test('a room stays unread from the message that its reader chose', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Pier', members: [grace.member.id] })
  const ids: string[] = []
  for (const words of ['One', 'Two', 'Three']) ids.push(await chat.post(owner, id, words))
  await browser.resize(page, 'laptop')
  await page.goto('/rooms/pier')
  await waitForRoom(page)
  await chooseAction(page, 'Two', 'Mark unread from here')
  await page.getByText('Marked as unread.').waitFor()
  await page.locator(`#new-line[data-before="${ids[1]}"]`).waitFor()
  await page.goto('/')
  const { json } = await chat.call(grace, 'PUT', `/rooms/${id}/read`, { messageId: ids[0] })
  t.equal(json.unread, 2)
})

t.test('a reaction is added from the menu and removed by its chip', async (t) => {
  const id = await chat.post(owner, room, 'Ready to sail')
  await open('phone')
  await messagesWith(page, 'Ready').getByLabel('Actions for the message by Ada').tap()
  await messagesWith(page, 'Ready').getByRole('button', { name: 'React with 🎉' }).tap()
  const own = chip('Ready', '1 person reacted with 🎉: Grace')
  await own.waitFor()
  t.equal(await own.getAttribute('aria-pressed'), 'true')
  const { width, height } = (await own.boundingBox())!
  t.ok(width >= 44 && height >= 44, `a target of ${width} by ${height} for a thumb`)
  const reactions = `/rooms/${room}/messages/${id}/reactions/${encodeURIComponent('🎉')}`
  await chat.call(owner, 'PUT', reactions)
  await browser.resize(page, 'laptop')
  await chip('Ready', '2 people reacted with 🎉: Grace, Ada').click()
  const others = chip('Ready', /^1 person reacted with 🎉: Ada/)
  await others.waitFor()
  t.equal(await others.getAttribute('aria-pressed'), 'false')
  await others.focus()
  await page.keyboard.press('Enter')
  await chip('Ready', /^2 people/).waitFor()
})

t.test('any emoji is found by its name', async (t) => {
  await chat.post(owner, room, 'Off we sail')
  await open('laptop')
  await chooseAction(page, 'Off we sail', 'Other reaction…')
  const dialog = page.getByRole('dialog', { name: 'React' })
  await page.getByLabel('Search emoji by name').fill('sailboat')
  await browser.resize(page, 'phone')
  await dialog.getByRole('button', { name: ':sailboat:' }).tap()
  await chip('Off we sail', '1 person reacted with ⛵: Grace').waitFor()
  t.equal(await dialog.count(), 0, 'the dialog has closed')
})

t.test('a message is pinned from its menu and listed in the room’s pins', async (t) => {
  const id = await chat.post(owner, room, 'A berth is free')
  await open('phone')
  await chooseAction(page, 'A berth', 'Pin')
  await messagesWith(page, 'A berth').getByText('pinned', { exact: true }).waitFor()
  await page.getByRole('link', { name: '1 pinned' }).tap()
  await page.getByRole('heading', { name: 'Pinned messages' }).waitFor()
  const pin = messagesWith(page, 'A berth')
  await pin.getByText('Pinned by Grace').waitFor()
  await pin.locator('.at').tap()
  await page.waitForURL((url) => url.hash === `#${id}`)
  await page.goBack()
  await browser.resize(page, 'laptop')
  await pin.getByRole('button', { name: 'Unpin the message by Ada' }).click()
  await page.getByText('No pinned messages.').waitFor()
  await chat.call(owner, 'PUT', `/rooms/${room}/pins/${id}`)
  await pin.getByText('Pinned by Ada').waitFor()
  t.equal(await page.locator('.pins li').count(), 1, 'another member’s pin is shown at once')
  await chat.call(owner, 'DELETE', `/rooms/${room}/pins/${id}`)
})
