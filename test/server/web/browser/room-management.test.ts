import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messageField, messagesWith, waitUntilTrue } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, eventually } = chat
const grace = await chat.person('Grace')
const mira = await chat.person('Mira')
const bot = await chat.agent('Scout')
const [ada, hers] = [await browser.openPageAs(chat, owner), await browser.openPageAs(chat, grace)]
const miras = await browser.openPageAs(chat, mira, { window: 'phone' })
const phone = await browser.openPageAs(chat, grace, { window: 'phone', colorScheme: 'dark' })

const main = (page: Page) => page.getByRole('main')
const button = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })
const confirm = (page: Page, name: string) =>
  page.locator('dialog.confirm').getByRole('button', { name, exact: true }).click()
const nav = (page: Page) => page.locator('#navigation')

const resize = (window: 'laptop' | 'phone') =>
  Promise.all([ada, hers].map((page) => browser.resize(page, window)))
/** Opens the sidebar, which on a phone is behind a button. */
async function openNavigation(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' })
  if (await menu.isVisible()) await menu.click()
}

for (const window of ['phone', 'laptop'] as const) {
  t.test(`a removed member's open page says so and shows nothing more, on a ${window}`, async (t) => {
    await resize(window)
    const members = [grace.member.id]
    const closed = await chat.room(owner, { name: `Cabin ${window}`, type: 'closed', members })
    const open = await chat.room(owner, { name: `Deck ${window}`, members })
    await chat.post(owner, closed._id, 'Secret plans')
    await hers.goto(`/rooms/cabin-${window}`)
    await main(hers).getByText('Secret plans').waitFor()
    await ada.goto(`/rooms/cabin-${window}/settings`)
    await button(ada, 'Remove Grace').click()
    browser.expectError(hers, /status of 403/)
    await ada.getByText('They can no longer read it.').waitFor()
    await confirm(ada, 'Remove')
    await main(hers).getByText('A person who is in it must invite you.').waitFor()
    t.equal(await hers.getByText('Secret plans').count(), 0)
    t.equal(
      await nav(hers)
        .locator('a', { hasText: `Cabin ${window}` })
        .count(),
      0,
    )
    await openNavigation(hers)
    await nav(hers)
      .getByRole('link', { name: /^Inbox \d unread/ })
      .click()
    await main(hers)
      .getByRole('link', { name: `Ada removed you from Cabin ${window}` })
      .waitFor()

    await hers.goto(`/rooms/deck-${window}`)
    await messageField(hers).fill('Half a thought')
    await chat.call(owner, 'DELETE', `/rooms/${open._id}/members/${grace.member.id}`)
    await button(hers, 'Join room').click()
    await messageField(hers).waitFor()
    t.equal(await messageField(hers).inputValue(), 'Half a thought', 'the unsent message is kept')
  })

  t.test(`a room is archived, reopened, and deleted by typing its name, on a ${window}`, async (t) => {
    await resize(window)
    const { _id: id } = await chat.room(owner, { name: `Attic ${window}`, members: [grace.member.id] })
    await chat.post(grace, id, 'Lantern')
    await hers.goto(`/rooms/attic-${window}`)
    await ada.goto(`/rooms/attic-${window}/settings`)
    await checkAccessibility(t, ada)
    await button(ada, 'Archive this room').click()
    await confirm(ada, 'Archive')
    await main(hers).getByText('This room is archived').waitFor()
    t.equal(await messageField(hers).isVisible(), false)
    await nav(hers)
      .locator('a', { hasText: `Attic ${window}` })
      .waitFor({ state: 'detached' })
    await hers.goto('/rooms')
    await main(hers).getByText('Archived (1)').click()
    await checkAccessibility(t, hers)
    await main(hers)
      .getByRole('link', { name: `Attic ${window}` })
      .click()
    await main(hers).getByText('Lantern').waitFor()
    await button(ada, 'Reopen this room').click()
    await messageField(hers).waitFor()

    await ada.locator('summary', { hasText: 'Delete this room' }).click()
    browser.expectError(ada, /status of 400/)
    await ada.getByLabel('to confirm').fill(`attic ${window}`)
    await button(ada, 'Delete room').click()
    await main(ada).getByRole('alert').getByText('To confirm, send its name').waitFor()
    browser.expectError(hers, /status of 404/)
    await ada.getByLabel('to confirm').fill(`Attic ${window}`)
    await button(ada, 'Delete room').click()
    await ada.waitForURL('/rooms')
    await main(hers).getByText('There is no room').waitFor()
    t.equal(await hers.getByText('Lantern').count(), 0)
  })

  t.test(`opening a closed room first warns what everyone can then read, on a ${window}`, async (t) => {
    await resize(window)
    const { _id: id } = await chat.room(owner, { name: `Vault ${window}`, type: 'closed' })
    await ada.goto(`/rooms/vault-${window}/settings`)
    await button(ada, 'Open this room').click()
    await ada
      .getByText('Everyone in the workspace can then read all its messages, including past ones.')
      .waitFor()
    await confirm(ada, 'Open')
    await button(ada, 'Close this room').waitFor()
    t.equal((await chat.detail(owner, id)).type, 'open')
    await button(ada, 'Close this room').click()
    await button(ada, 'Open this room').waitFor()
    t.equal((await chat.detail(owner, id)).type, 'closed', 'the room can be closed again')
  })

  t.test(`Message on a member's page opens the one direct room of the two, on a ${window}`, async (t) => {
    await resize(window)
    await hers.goto(`/members/${owner.member.id}`)
    await main(hers)
      .getByRole('button', { name: 'Message', exact: true })
      .or(main(hers).getByRole('link', { name: 'Message', exact: true }))
      .click()
    await messageField(hers).waitFor()
    const room = await main(hers).locator('[data-here]').getAttribute('data-here')
    await ada.goto(`/members/${grace.member.id}`)
    await main(ada).getByRole('link', { name: 'Message', exact: true }).click()
    t.equal(await main(ada).locator('[data-here]').getAttribute('data-here'), room)
  })
}

for (const { window, page, actor, berth } of [
  { window: 'laptop', page: ada, actor: owner, berth: 'Berth' },
  { window: 'phone', page: miras, actor: mira, berth: 'Quay' },
] as const) {
  const path = `/rooms/${berth.toLowerCase()}`
  t.test(
    `the sidebar has favourites, sections and unread rooms first, and can be filtered, on a ${window}`,
    async (t) => {
      const rooms: string[] = []
      for (let n = 1; n <= 13; n++) {
        rooms.push((await chat.room(actor, { name: `${berth} ${n}`, members: [grace.member.id] }))._id)
      }
      await page.goto(`${path}-3`)
      await button(page, 'Favourite').click()
      await main(page).getByRole('button', { name: 'Favourite', pressed: true }).waitFor()
      await page.goto(`${path}-4/settings`)
      await page.getByLabel('Section').fill('Harbour')
      await main(page).locator('#sidebar').getByRole('button', { name: 'Save' }).click()
      const names = (heading: string) =>
        nav(page).locator(`h2:has-text("${heading}") + ul`).locator('bdi').allInnerTexts()
      await eventually(async () => (await names('Harbour')).join() === `${berth} 4`)
      t.same(await names('Favourites'), [`${berth} 3`])
      t.equal((await names('Rooms')).at(-1), `${berth} 13`)

      await openNavigation(page)
      const fetched: string[] = []
      page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
      const response = page.waitForResponse((one) => new URL(one.url()).pathname === '/navigation')
      await chat.post(grace, rooms[12]!, 'News')
      await eventually(async () => (await names('Rooms'))[0] === `${berth} 13`)
      const { responseBodySize } = await (await response).request().sizes()
      t.ok(responseBodySize > 0 && responseBodySize < 5000, `${responseBodySize} bytes`)
      t.notOk(fetched.includes(`${path}-4/settings`), 'the page itself is not fetched again')
      const thread = await chat.post(actor, rooms[11]!, 'What do you think?')
      await chat.post(grace, rooms[11]!, 'A reply', { threadId: thread })
      await nav(page)
        .getByRole('link', { name: `${berth} 12 1 unread` })
        .waitFor()
      t.same((await names('Rooms')).slice(0, 2), [`${berth} 12`, `${berth} 13`], 'a reply counts as unread')

      const filter = page.getByLabel('Filter rooms')
      await filter.fill(`${berth.toLowerCase()} 1`)
      const shown = nav(page).locator('[data-rooms] > li:visible bdi')
      t.same((await shown.allInnerTexts()).sort(), [
        `${berth} 1`,
        `${berth} 10`,
        `${berth} 11`,
        `${berth} 12`,
        `${berth} 13`,
      ])
      t.equal(await nav(page).getByText('Favourites').isVisible(), false)
      await chat.post(grace, rooms[9]!, 'More')
      await nav(page)
        .getByRole('link', { name: `${berth} 10 1 unread` })
        .waitFor()
      t.equal(await shown.count(), 5, 'the filter stays when counts change')
      await checkAccessibility(t, page)
      await filter.press('Escape')
      t.equal(await filter.inputValue(), '')
      t.ok((await shown.count()) > 12)
      await filter.fill(`${berth.slice(1)} 11`)
      await filter.press('Enter')
      await page.waitForURL(`**${path}-11`)
    },
  )
}

t.test('a room’s settings page follows changes by others', async (t) => {
  await resize('laptop')
  const { _id: id } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })
  await Promise.all([ada.goto('/rooms/quay/settings'), phone.goto('/rooms/quay')])
  await chat.call(grace, 'PATCH', `/rooms/${id}`, { name: 'Pier', description: 'Of boats' })
  await waitUntilTrue(ada, 'document.getElementById("name").value === "Pier"')
  t.equal(await ada.getByLabel('Description').inputValue(), 'Of boats')
  await waitUntilTrue(ada, 'location.pathname === "/rooms/pier/settings"')
  await phone.getByText('Of boats').waitFor()
  await phone.getByRole('heading', { name: 'Pier', level: 1 }).waitFor()
  await chat.invite(grace, id, bot)
  await ada.locator('#members').getByRole('link', { name: 'Scout' }).waitFor()
  await chat.call(owner, 'PUT', `/rooms/${id}/involvement`, { involvement: 'mentions' })
  await waitUntilTrue(ada, 'document.querySelector("input[value=mentions]").checked')
})

t.test('a room is created, found, joined, renamed, extended by a member and left', async (t) => {
  await resize('laptop')
  const known = async () => (await chat.call(owner, 'GET', '/rooms?all=1')).json
  const described = { name: 'Berths', description: 'Who lies where' }
  await Promise.all([ada.goto('/rooms'), phone.goto('/rooms')])
  await ada.getByRole('link', { name: 'New room' }).click()
  await ada.getByLabel('Name', { exact: true }).fill(described.name)
  await ada.getByLabel('Description').fill(described.description)
  await ada.getByRole('button', { name: 'Create room' }).click()
  await ada.getByRole('heading', { name: 'Berths', level: 1 }).waitFor()
  const [{ _id: id }] = (await known()).filter(({ name }: { name: string }) => name === 'Berths')
  t.match(await chat.detail(owner, id), { ...described, type: 'open', projectId: null, joined: true })
  const who = async () => (await chat.detail(owner, id)).members.map(({ name }) => name)
  t.same(await who(), ['Ada'])

  const row = phone.locator('#rooms li', { hasText: 'Berths' })
  await row.getByText('Who lies where').waitFor()
  await row.getByRole('button', { name: 'Join Berths' }).click()
  await messageField(phone).waitFor()
  t.same(await who(), ['Ada', 'Grace'])

  await ada.getByRole('link', { name: /^2 members/ }).click()
  await ada.getByLabel('Name', { exact: true }).fill('Moorings')
  await ada.locator('#room').getByRole('button', { name: 'Save' }).click()
  await phone.getByRole('heading', { name: 'Moorings', level: 1 }).waitFor()
  await waitUntilTrue(ada, 'location.pathname === "/rooms/moorings/settings"')
  t.match(await chat.detail(owner, id), { name: 'Moorings', description: 'Who lies where' })
  await ada.getByLabel('Add a member').selectOption({ label: 'Scout (agent)' })
  await ada.getByRole('button', { name: 'Add', exact: true }).click()
  await ada.locator('#members').getByRole('link', { name: 'Scout' }).waitFor()
  t.same(await who(), ['Ada', 'Grace', 'Scout'])
  await phone.getByRole('link', { name: /^3 members/ }).waitFor()

  await ada.getByRole('button', { name: 'Leave room' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await ada.getByRole('button', { name: 'Join Moorings' }).waitFor()
  t.equal(new URL(ada.url()).pathname, '/rooms')
  t.match(
    (await known()).find(({ _id }: { _id: string }) => _id === id),
    { name: 'Moorings', joined: false },
  )
  t.same(
    (await chat.detail(grace, id)).members.map(({ name }) => name),
    ['Grace', 'Scout'],
  )
  await phone.getByRole('link', { name: /^2 members/ }).waitFor()
})

t.test('the page of a room not joined yet stays up to date, and opens when it is joined', async (t) => {
  await resize('laptop')
  const { _id: id } = await chat.room(owner, { name: 'Jetty', description: 'Of ropes' })
  await phone.goto('/rooms/jetty')
  await phone.evaluate('globalThis.isSame = true')
  const around = phone.waitForResponse('**/navigation?*')
  await chat.post(bot, 'general', 'Said elsewhere')
  await around
  await chat.call(owner, 'PATCH', `/rooms/${id}`, { name: 'Mole', description: 'Of stones' })
  await phone.getByRole('heading', { name: 'Mole', level: 1 }).waitFor()
  await phone.getByText('Of stones').waitFor()
  t.ok(await phone.evaluate<boolean>('isSame'), 'the page was not loaded again')
  await waitUntilTrue(phone, 'location.pathname === "/rooms/mole"')
  await phone.reload()
  await phone.getByRole('button', { name: 'Join room' }).waitFor()
  await chat.join(grace, id)
  await messageField(phone).fill('Hello')
  await phone.getByRole('button', { name: 'Send' }).click()
  await messagesWith(phone, 'Hello').waitFor()
})
