import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messageField, messagesWith, waitForRoom, waitUntilTrue } from '../../../support/room-pages.ts'

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
    for (const [page, former, latter] of [
      [ada, 'Pier', 'Quay'],
      [phone, 'Mole', 'Basin'],
    ] as const) {
      const { _id: id } = await chat.room(owner, { name: former, members: [grace.member.id] })
      const openMenu = async () => {
        if (page === phone) await page.getByRole('button', { name: 'Menu' }).tap()
      }
      const current = () => page.locator('#navigation [aria-current]').allInnerTexts()
      await page.goto(`/rooms/${former.toLowerCase()}`)
      await openMenu()
      t.same(await current(), [former])
      await chat.post(owner, id, 'Hello')
      await messagesWith(page, 'Hello').waitFor({ state: 'attached' })
      t.same(await current(), [former])
      await chat.call(owner, 'PATCH', `/rooms/${id}`, { name: latter })
      await waitUntilTrue(page, `location.pathname === "/rooms/${latter.toLowerCase()}"`)
      await chat.eventually(async () => (await current()).join() === latter)
      await page.goto(`/rooms/${latter.toLowerCase()}/settings`)
      await openMenu()
      t.same(await current(), [latter])
      await chat.call(owner, 'PATCH', `/rooms/${id}`, { description: 'Of boats' })
      await waitUntilTrue(page, 'document.getElementById("description").value === "Of boats"')
      t.same(await current(), [latter])
    }
  },
)

t.test('the sidebar keeps its scroll position, and scrolls to the open room', async (t) => {
  await ada.goto('/rooms/general')
  const top = () => ada.evaluate<number>('document.getElementById("navigation").scrollTop')
  await ada.evaluate('document.getElementById("navigation").scrollTop = 700')
  await ada.locator('#navigation').getByRole('link', { name: 'Berth 30', exact: true }).click()
  await ada.waitForURL('**/rooms/berth-30')
  await waitUntilTrue(ada, 'document.activeElement.id === "message"')
  t.equal(await top(), 700)
  await ada.goto('/rooms/berth-60')
  await waitUntilTrue(ada, 'document.activeElement.id === "message"')
  t.equal(
    await ada.locator('#navigation [aria-current]').evaluate((link) => {
      const [item, frame] = [link.getBoundingClientRect(), link.closest('nav')!.getBoundingClientRect()]
      return item.top >= frame.top && item.bottom <= frame.bottom + 1
    }),
    true,
  )
})

t.test('on a phone, the menu opens at its former scroll position', async (t) => {
  const page = await browser.openPageAs(chat, owner, { window: 'phone' })
  t.teardown(() => page.context().close())
  const menu = page.getByRole('button', { name: 'Menu' })
  await page.goto('/rooms/general')
  await menu.tap()
  const links = page.locator('#navigation li a')
  const heights = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().height))
  t.ok(Math.min(...heights) >= 44, 'targets are large enough for a thumb')
  await page.evaluate('document.getElementById("navigation").scrollTop = 1000')
  await page.locator('#navigation').getByRole('link', { name: 'Berth 30', exact: true }).tap()
  await page.waitForURL('**/rooms/berth-30')
  await menu.tap()
  await waitUntilTrue(page, 'document.getElementById("navigation").scrollTop === 1000')
})

t.test('opening a room focuses the composer, or on a phone the conversation', async (t) => {
  await Promise.all([ada.goto('/rooms/general'), phone.goto('/rooms/general')])
  await Promise.all([waitForRoom(ada), waitForRoom(phone)])
  t.equal(await focused(ada), 'message')
  t.equal(await focused(phone), 'Messages')
})

// Some people attach a keyboard to their phone.
for (const window of ['laptop', 'phone'] as const) {
  t.test(
    `on a ${window} Up edits the reader’s last message, and Escape marks the room as read`,
    async (t) => {
      const page = await browser.openPageAs(chat, owner, { window })
      t.teardown(() => page.context().close())
      const { _id: id } = await chat.room(owner, { name: `Dock ${window}`, members: [grace.member.id] })
      await chat.post(owner, id, 'Mine')
      for (let n = 1; n <= 30; n++) await chat.post(grace, id, `Theirs ${n}`)
      await page.goto(`/rooms/dock-${window}`)
      await page.getByRole('separator', { name: 'New messages' }).waitFor()
      await waitForRoom(page)
      await messageField(page).press('ArrowUp')
      const editing = page.getByLabel('Your message')
      await waitUntilTrue(page, 'document.activeElement.ariaLabel === "Your message"')
      t.equal(await editing.inputValue(), 'Mine')
      await editing.press('Escape')
      await editing.waitFor({ state: 'detached' })
      t.ok(unreadIn(id) > 0, 'the first Escape only closes the editor')
      await messageField(page).press('Escape')
      await page.getByText('Marked as read').waitFor()
      await chat.eventually(() => unreadIn(id) === 0)
      await page.getByRole('separator', { name: 'New messages' }).waitFor({ state: 'detached' })
      await messageField(page).fill('Not empty')
      await messageField(page).press('ArrowUp')
      t.equal(await editing.count(), 0)
    },
  )

  t.test(
    `on a ${window} Alt+Up and Alt+Down open the next room, and with Shift the next unread one`,
    async (t) => {
      const page = await browser.openPageAs(chat, owner, { window })
      t.teardown(() => page.context().close())
      const name = `Unread ${window}`
      const { _id: unread } = await chat.room(owner, { name, members: [grace.member.id] })
      const opened = async (room: string) => {
        await page.waitForURL(`**/rooms/${room}`)
        await waitForRoom(page)
      }
      await page.goto('/rooms/berth-10')
      await opened('berth-10')
      await page.keyboard.press('Alt+ArrowDown')
      await opened('berth-11')
      await page.keyboard.press('Alt+ArrowUp')
      await opened('berth-10')
      await chat.post(grace, unread, 'News')
      await page
        .locator('#navigation a', { hasText: name })
        .locator('.count')
        .waitFor({ state: window === 'phone' ? 'attached' : 'visible' })
      await page.keyboard.press('Alt+Shift+ArrowDown')
      await opened(`unread-${window}`)
      await chat.eventually(() => unreadIn(unread) === 0)
    },
  )
}

t.test('an on-screen keyboard does not cover the composer', async (t) => {
  await phone.goto('/rooms/general')
  await waitForRoom(phone)
  await messageField(phone).focus()
  // Chromium has no on-screen keyboard here, so the test shrinks the viewport as one does.
  await phone.evaluate(`(() => {
    Object.defineProperty(visualViewport, 'height', { value: 480 })
    visualViewport.dispatchEvent(new Event('resize'))
  })()`)
  const { y, height } = (await phone.locator('.composer').first().boundingBox())!
  t.ok(y + height <= 481, `the composer ends at ${y + height} of 480 pixels`)
  t.match(await phone.locator('meta[name=viewport]').getAttribute('content'), /resizes-content/)
})
