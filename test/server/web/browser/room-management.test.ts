import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messageField, messagesWith, waitUntilTrue } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace')
const bot = await chat.agent('Scout')
const ada = await browser.openPageAs(chat, owner)
/** Grace's page. */
const phone = await browser.openPageAs(chat, grace, { window: 'phone', colorScheme: 'dark' })

const main = (page: Page) => page.getByRole('main')
const button = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })
const confirm = (page: Page, name: string) =>
  page.locator('dialog.confirm').getByRole('button', { name, exact: true }).click()
const nav = (page: Page) => page.locator('#navigation')
/** Opens the sidebar of a phone, which is behind a button. */
const openMenu = (page: Page) => page.getByRole('button', { name: 'Menu' }).click()

t.test('a removed member’s open page says so and shows nothing more', async (t) => {
  const members = [grace.member.id]
  const closed = await chat.room(owner, { name: 'Cabin', type: 'closed', members })
  const open = await chat.room(owner, { name: 'Deck', members })
  await chat.post(owner, closed._id, 'Secret plans')
  await phone.goto('/rooms/cabin')
  await main(phone).getByText('Secret plans').waitFor()
  await ada.goto('/rooms/cabin/settings')
  await button(ada, 'Remove Grace').click()
  browser.expectError(phone, /status of 403/)
  await ada.getByText('They can no longer read it.').waitFor()
  await confirm(ada, 'Remove')
  await main(phone).getByText('A person who is in it must invite you.').waitFor()
  t.equal(await phone.getByText('Secret plans').count(), 0)
  t.equal(await nav(phone).locator('a', { hasText: 'Cabin' }).count(), 0)
  await openMenu(phone)
  await nav(phone)
    .getByRole('link', { name: /^Inbox \d unread/ })
    .click()
  await main(phone).getByRole('link', { name: 'Ada removed you from Cabin' }).waitFor()

  await phone.goto('/rooms/deck')
  await messageField(phone).fill('Half a thought')
  await chat.call(owner, 'DELETE', `/rooms/${open._id}/members/${grace.member.id}`)
  await button(phone, 'Join room').click()
  await messageField(phone).waitFor()
  t.equal(await messageField(phone).inputValue(), 'Half a thought', 'the unsent message is kept')
})

t.test('a room is archived, reopened, and deleted by typing its name', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Attic', members: [grace.member.id] })
  await chat.post(grace, id, 'Lantern')
  await phone.goto('/rooms/attic')
  await ada.goto('/rooms/attic/settings')
  await button(ada, 'Archive this room').click()
  await confirm(ada, 'Archive')
  await main(phone).getByText('This room is archived').waitFor()
  t.equal(await messageField(phone).isVisible(), false)
  await nav(phone).locator('a', { hasText: 'Attic' }).waitFor({ state: 'detached' })
  await phone.goto('/rooms')
  await main(phone).getByText('Archived (1)').click()
  await checkAccessibility(t, phone)
  await main(phone).getByRole('link', { name: 'Attic' }).click()
  await main(phone).getByText('Lantern').waitFor()
  await button(ada, 'Reopen this room').click()
  await messageField(phone).waitFor()

  await ada.locator('summary', { hasText: 'Delete this room' }).click()
  await checkAccessibility(t, ada)
  browser.expectError(ada, /status of 400/)
  await ada.getByLabel('to confirm').fill('attic')
  await button(ada, 'Delete room').click()
  await main(ada).getByRole('alert').getByText('To confirm, send its name').waitFor()
  browser.expectError(phone, /status of 404/)
  await ada.getByLabel('to confirm').fill('Attic')
  await button(ada, 'Delete room').click()
  await ada.waitForURL('/rooms')
  await main(phone).getByText('There is no room').waitFor()
  t.equal(await phone.getByText('Lantern').count(), 0)
})

t.test('opening a closed room first warns what everyone can then read', async (t) => {
  const { _id: id } = await chat.room(grace, { name: 'Vault', type: 'closed' })
  await phone.goto('/rooms/vault/settings')
  await button(phone, 'Open this room').tap()
  await phone
    .getByText('Everyone in the workspace can then read all its messages, including past ones.')
    .waitFor()
  await confirm(phone, 'Open')
  await button(phone, 'Close this room').waitFor()
  t.equal((await chat.detail(grace, id)).type, 'open')
  await button(phone, 'Close this room').tap()
  await button(phone, 'Open this room').waitFor()
  t.equal((await chat.detail(grace, id)).type, 'closed', 'the room can be closed again')
})

t.test('the sidebar has favourites, sections and unread rooms first, and can be filtered', async (t) => {
  const rooms: string[] = []
  for (let n = 1; n <= 13; n++) {
    rooms.push((await chat.room(owner, { name: `Berth ${n}`, members: [grace.member.id] }))._id)
  }
  await ada.goto('/rooms/berth-3')
  await button(ada, 'Favourite').click()
  await main(ada).getByRole('button', { name: 'Favourite', pressed: true }).waitFor()
  await ada.goto('/rooms/berth-4/settings')
  await ada.getByLabel('Section').fill('Harbour')
  await main(ada).locator('#sidebar').getByRole('button', { name: 'Save' }).click()
  const list = (heading: string) => nav(ada).locator(`h2:has-text("${heading}") + ul bdi`)
  const names = (heading: string) => list(heading).allInnerTexts()
  await list('Harbour').getByText('Berth 4', { exact: true }).waitFor()
  t.same(await names('Harbour'), ['Berth 4'])
  t.same(await names('Favourites'), ['Berth 3'])
  t.equal((await names('Rooms')).at(-1), 'Berth 13')

  const fetched: string[] = []
  ada.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  const response = ada.waitForResponse((one) => new URL(one.url()).pathname === '/navigation')
  await chat.post(grace, rooms[12]!, 'News')
  await list('Rooms')
    .first()
    .and(ada.getByText('Berth 13', { exact: true }))
    .waitFor()
  const { responseBodySize } = await (await response).request().sizes()
  t.ok(responseBodySize > 0 && responseBodySize < 5000, `${responseBodySize} bytes`)
  t.notOk(fetched.includes('/rooms/berth-4/settings'), 'the page itself is not fetched again')
  const thread = await chat.post(owner, rooms[11]!, 'What do you think?')
  await chat.post(grace, rooms[11]!, 'A reply', { threadId: thread })
  await nav(ada).getByRole('link', { name: 'Berth 12 1 unread' }).waitFor()
  t.same((await names('Rooms')).slice(0, 2), ['Berth 12', 'Berth 13'], 'a reply counts as unread')

  const filter = ada.getByLabel('Filter rooms')
  await filter.fill('berth 1')
  const shown = nav(ada).locator('[data-rooms] > li:visible bdi')
  t.same((await shown.allInnerTexts()).sort(), ['Berth 1', 'Berth 10', 'Berth 11', 'Berth 12', 'Berth 13'])
  t.equal(await nav(ada).getByText('Favourites').isVisible(), false)
  await chat.post(grace, rooms[9]!, 'More')
  await nav(ada).getByRole('link', { name: 'Berth 10 1 unread' }).waitFor()
  t.equal(await shown.count(), 5, 'the filter stays when counts change')
  await checkAccessibility(t, ada)
  await filter.press('Escape')
  t.equal(await filter.inputValue(), '')
  t.ok((await shown.count()) > 12)

  await browser.resize(ada, 'phone')
  await openMenu(ada)
  t.same(
    (await names('Rooms')).slice(0, 3),
    ['Berth 10', 'Berth 12', 'Berth 13'],
    'in a phone’s menu as well',
  )
  await filter.fill('erth 11')
  t.same(await shown.allInnerTexts(), ['Berth 11'])
  await filter.press('Enter')
  await ada.waitForURL('**/rooms/berth-11')
  await browser.resize(ada, 'laptop')
})

t.test(
  'a room is created, found, joined, renamed, extended by a member and left, and its settings follow',
  async (t) => {
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

    await chat.call(grace, 'PATCH', `/rooms/${id}`, { name: 'Pier', description: 'Of boats' })
    await waitUntilTrue(ada, 'document.getElementById("name").value === "Pier"')
    t.equal(
      await ada.getByLabel('Description').inputValue(),
      'Of boats',
      'the settings follow changes by others',
    )
    await waitUntilTrue(ada, 'location.pathname === "/rooms/pier/settings"')
    await phone.getByText('Of boats').waitFor()
    await phone.getByRole('heading', { name: 'Pier', level: 1 }).waitFor()
    await chat.call(owner, 'PUT', `/rooms/${id}/involvement`, { involvement: 'mentions' })
    await waitUntilTrue(ada, 'document.querySelector("input[value=mentions]").checked')
    const lookout = await chat.agent('Lookout')
    await chat.invite(grace, id, lookout)
    await ada.locator('#members').getByRole('link', { name: 'Lookout' }).waitFor()

    await ada.getByLabel('Add a member').selectOption({ label: 'Scout (agent)' })
    await ada.getByRole('button', { name: 'Add', exact: true }).click()
    await ada.locator('#members').getByRole('link', { name: 'Scout' }).waitFor()
    t.same(await who(), ['Ada', 'Grace', 'Scout', 'Lookout'])
    await phone.getByRole('link', { name: /^4 members/ }).waitFor()

    await ada.getByRole('button', { name: 'Leave room' }).click()
    await ada.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await ada.getByRole('button', { name: 'Join Pier' }).waitFor()
    t.equal(new URL(ada.url()).pathname, '/rooms')
    t.match(
      (await known()).find(({ _id }: { _id: string }) => _id === id),
      { name: 'Pier', joined: false },
    )
    t.same(
      (await chat.detail(grace, id)).members.map(({ name }) => name),
      ['Grace', 'Scout', 'Lookout'],
    )
    await phone.getByRole('link', { name: /^3 members/ }).waitFor()
  },
)

t.test('the page of a room not joined yet stays up to date, and opens when it is joined', async (t) => {
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
  t.ok(await phone.getByRole('button', { name: 'Join room' }).isVisible())
  await chat.join(grace, id)
  await messageField(phone).fill('Hello')
  await phone.getByRole('button', { name: 'Send' }).click()
  await messagesWith(phone, 'Hello').waitFor()
})
