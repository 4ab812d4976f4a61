import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import {
  messageField,
  messagesWith,
  showRoom,
  waitForRoom,
  waitUntilTrue,
} from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, workspace } = chat
const grace = await chat.person('Grace', 'general')
const ada = await browser.openPageAs(chat, owner)
const phone = await browser.openPageAs(chat, grace, { window: 'phone' })
for (let n = 1; n <= 60; n++) await chat.room(owner, { name: `Berth ${n}` })

const unreadIn = (room: string) =>
  workspace.rooms.rooms.page(
    { member: owner.member, keyId: 'key_test', scopes: new Set(['*'] as const) },
    room,
  ).unread
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.id')

t.test(
  'the sidebar, or a phone’s menu, marks the open room, even after live updates of the page',
  async (t) => {
    const { _id: id } = await chat.room(owner, { name: 'Mole', members: [grace.member.id] })
    const openMenu = () => phone.getByRole('button', { name: 'Menu' }).tap()
    const current = phone.locator('#navigation [aria-current]')
    await phone.goto('/rooms/mole')
    await openMenu()
    t.same(await current.allInnerTexts(), ['Mole'])
    await chat.post(owner, id, 'Hello')
    await messagesWith(phone, 'Hello').waitFor({ state: 'attached' })
    t.same(await current.allInnerTexts(), ['Mole'])
    await chat.call(owner, 'PATCH', `/rooms/${id}`, { name: 'Basin' })
    await waitUntilTrue(phone, 'location.pathname === "/rooms/basin"')
    await current.getByText('Basin').waitFor()
    await phone.goto('/rooms/basin/settings')
    await openMenu()
    t.same(await current.allInnerTexts(), ['Basin'])
    await browser.resize(phone, 'laptop')
    await chat.call(owner, 'PATCH', `/rooms/${id}`, { description: 'Of boats' })
    await waitUntilTrue(phone, 'document.getElementById("description").value === "Of boats"')
    t.same(await current.allInnerTexts(), ['Basin'], 'in the sidebar')
    await browser.resize(phone, 'phone')
  },
)

t.test('the sidebar keeps its scroll position, and scrolls to the open room', async (t) => {
  await ada.goto('/rooms/general')
  const top = () => ada.evaluate<number>('document.getElementById("navigation").scrollTop')
  const berth = ada.locator('#navigation').getByRole('link', { name: 'Berth 30', exact: true })
  await ada.evaluate('document.getElementById("navigation").scrollTop = 700')
  await berth.click()
  await ada.waitForURL('**/rooms/berth-30')
  await waitUntilTrue(ada, 'document.activeElement.id === "message"')
  t.equal(await top(), 700)
  await ada.goto('/rooms/berth-60')
  await waitForRoom(ada)
  t.equal(
    await ada.locator('#navigation [aria-current]').evaluate((link) => {
      const [item, frame] = [link.getBoundingClientRect(), link.closest('nav')!.getBoundingClientRect()]
      return item.top >= frame.top && item.bottom <= frame.bottom + 1
    }),
    true,
  )

  await browser.resize(ada, 'phone')
  const menu = ada.getByRole('button', { name: 'Menu' })
  await menu.click()
  const links = ada.locator('#navigation li a')
  const heights = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().height))
  t.ok(Math.min(...heights) >= 44, 'targets are large enough for a thumb')
  await ada.evaluate('document.getElementById("navigation").scrollTop = 1000')
  await berth.click()
  await ada.waitForURL('**/rooms/berth-30')
  await menu.click()
  await waitUntilTrue(ada, 'document.getElementById("navigation").scrollTop === 1000')
  await browser.resize(ada, 'laptop')
})

t.test('opening a room focuses the composer, or on a phone the conversation', async (t) => {
  await Promise.all([ada.goto('/rooms/general'), phone.goto('/rooms/general')])
  await Promise.all([waitForRoom(ada), waitForRoom(phone)])
  t.equal(await focused(ada), 'message')
  t.equal(await focused(phone), 'Messages')
})

t.test('Up edits the reader’s last message, and Escape marks the room as read', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Dock', members: [grace.member.id] })
  await chat.post(owner, id, 'Mine')
  for (let n = 1; n <= 30; n++) await chat.post(grace, id, `Theirs ${n}`)
  await ada.goto('/rooms/dock')
  await ada.getByRole('separator', { name: 'New messages' }).waitFor()
  await waitForRoom(ada)
  await messageField(ada).press('ArrowUp')
  const editing = ada.getByLabel('Your message')
  await waitUntilTrue(ada, 'document.activeElement.ariaLabel === "Your message"')
  t.equal(await editing.inputValue(), 'Mine')
  // Some people attach a keyboard to their phone.
  await browser.resize(ada, 'phone')
  await editing.press('Escape')
  await editing.waitFor({ state: 'detached' })
  t.ok(unreadIn(id) > 0, 'the first Escape only closes the editor')
  await messageField(ada).press('Escape')
  await ada.getByText('Marked as read').waitFor()
  await chat.eventually(() => unreadIn(id) === 0)
  await ada.getByRole('separator', { name: 'New messages' }).waitFor({ state: 'detached' })
  await messageField(ada).fill('Not empty')
  await messageField(ada).press('ArrowUp')
  t.equal(await editing.count(), 0)
  await browser.resize(ada, 'laptop')
})

t.test('Alt+Up and Alt+Down open the next room, and with Shift the next unread one', async (t) => {
  const { _id: unread } = await chat.room(owner, { name: 'Unread', members: [grace.member.id] })
  const opened = async (room: string) => {
    await ada.waitForURL(`**/rooms/${room}`)
    await waitForRoom(ada)
  }
  await ada.goto('/rooms/berth-10')
  await opened('berth-10')
  await ada.keyboard.press('Alt+ArrowDown')
  await opened('berth-11')
  await browser.resize(ada, 'phone')
  await ada.keyboard.press('Alt+ArrowUp')
  await opened('berth-10')
  await chat.post(grace, unread, 'News')
  await ada.locator('#navigation a', { hasText: 'Unread' }).locator('.count').waitFor({ state: 'attached' })
  await ada.keyboard.press('Alt+Shift+ArrowDown')
  await opened('unread')
  await chat.eventually(() => unreadIn(unread) === 0)
  t.pass('as on a phone with a keyboard')
  await browser.resize(ada, 'laptop')
})

t.test('an on-screen keyboard does not cover the composer', async (t) => {
  await showRoom(phone, '/rooms/general')
  await messageField(phone).focus()
  // Chromium has no on-screen keyboard here, so the test shrinks the viewport as one does.
  await phone.evaluate(`(() => {
    Object.defineProperty(visualViewport, 'height', { value: 480 })
    visualViewport.dispatchEvent(new Event('resize'))
  })()`)
  const { y, height } = (await phone.locator('.composer').first().boundingBox())!
  t.ok(y + height <= 481, `the composer ends at ${y + height} of 480 pixels`)
  t.match(await phone.locator('meta[name=viewport]').getAttribute('content'), /resizes-content/)
  await phone.goto('about:blank')
})
