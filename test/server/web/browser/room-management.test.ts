import type { Page } from 'playwright-core'
import t from 'tap'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, eventually } = chat
const grace = await chat.person('Grace')
const [ada, hers] = [await browser.person(chat, owner), await browser.person(chat, grace)]

const main = (page: Page) => page.getByRole('main')
const button = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })
const confirm = (page: Page, name: string) =>
  page.locator('dialog.confirm').getByRole('button', { name, exact: true }).click()
const field = (page: Page) => main(page).getByLabel('Message', { exact: true })
const nav = (page: Page) => page.locator('#navigation')

t.test('who is removed sees it on the open page, and reads no more', async (t) => {
  const members = [grace.member.id]
  const closed = await chat.room(owner, { name: 'Cabin', type: 'closed', members })
  const open = await chat.room(owner, { name: 'Deck', members })
  await chat.post(owner, closed._id, 'Secret plans')
  await hers.goto('/rooms/cabin')
  await main(hers).getByText('Secret plans').waitFor()
  await ada.goto('/rooms/cabin/settings')
  await button(ada, 'Remove Grace').click()
  browser.expect(hers, /status of 403/)
  await ada.getByText('They can no longer read it.').waitFor()
  await confirm(ada, 'Remove')
  await main(hers).getByText('A person who is in it must invite you.').waitFor()
  t.equal(await hers.getByText('Secret plans').count(), 0)
  t.equal(await nav(hers).getByRole('link', { name: 'Cabin' }).count(), 0)
  await nav(hers).getByRole('link', { name: 'Inbox 1 unread' }).click()
  await main(hers).getByRole('link', { name: 'Ada removed you from Cabin' }).waitFor()

  await hers.goto('/rooms/deck')
  await field(hers).fill('Half a thought')
  await chat.call(owner, 'DELETE', `/rooms/${open._id}/members/${grace.member.id}`)
  await button(hers, 'Join room').click()
  await field(hers).waitFor()
  t.equal(await field(hers).inputValue(), 'Half a thought', 'what was being written is kept')
})

t.test(
  'a room is archived and opened again under the eyes of its members, and deleted by its name',
  async (t) => {
    const { _id: id } = await chat.room(owner, { name: 'Attic', members: [grace.member.id] })
    await chat.post(grace, id, 'Lantern')
    await hers.goto('/rooms/attic')
    await ada.goto('/rooms/attic/settings')
    await accessible(t, ada)
    await button(ada, 'Archive this room').click()
    await confirm(ada, 'Archive')
    await main(hers).getByText('This room is archived').waitFor()
    t.equal(await field(hers).isVisible(), false)
    await nav(hers).getByRole('link', { name: 'Attic' }).waitFor({ state: 'detached' })
    await hers.goto('/rooms')
    await main(hers).getByText('Archived (1)').click()
    await accessible(t, hers)
    await main(hers).getByRole('link', { name: 'Attic' }).click()
    await main(hers).getByText('Lantern').waitFor()
    await button(ada, 'Reopen this room').click()
    await field(hers).waitFor()

    await ada.locator('summary', { hasText: 'Delete this room' }).click()
    browser.expect(ada, /status of 400/)
    await ada.getByLabel('to confirm').fill('attic')
    await button(ada, 'Delete room').click()
    await main(ada).getByRole('alert').getByText('To confirm, send its name').waitFor()
    browser.expect(hers, /status of 404/)
    await ada.getByLabel('to confirm').fill('Attic')
    await button(ada, 'Delete room').click()
    await ada.waitForURL('/rooms')
    await main(hers).getByText('There is no room').waitFor()
    t.equal(await hers.getByText('Lantern').count(), 0)
  },
)

t.test('who opens a closed room is told before what that shows, and to whom', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Vault', type: 'closed' })
  await ada.goto('/rooms/vault/settings')
  await button(ada, 'Open this room').click()
  await ada
    .getByText('Everyone in the workspace can then read all its messages, including past ones.')
    .waitFor()
  await confirm(ada, 'Open')
  await button(ada, 'Close this room').waitFor()
  t.equal((await chat.detail(owner, id)).type, 'open')
})

t.test('Message on the page of a member leads to the one room of the two', async (t) => {
  await hers.goto(`/members/${owner.member.id}`)
  await button(hers, 'Message').click()
  await field(hers).waitFor()
  const room = await main(hers).locator('[data-here]').getAttribute('data-here')
  await ada.goto(`/members/${grace.member.id}`)
  await main(ada).getByRole('link', { name: 'Message', exact: true }).click()
  t.equal(await main(ada).locator('[data-here]').getAttribute('data-here'), room)
})

t.test('the sidebar has favourites, sections and unread rooms first, and is filtered', async (t) => {
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
  const names = (heading: string) =>
    nav(ada).locator(`h2:has-text("${heading}") + ul`).locator('bdi').allInnerTexts()
  await eventually(async () => (await names('Harbour')).join() === 'Berth 4')
  t.same(await names('Favourites'), ['Berth 3'])
  t.equal((await names('Rooms')).at(-1), 'Berth 13')

  const fetched: string[] = []
  ada.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  const answer = ada.waitForResponse((one) => new URL(one.url()).pathname === '/navigation')
  await chat.post(grace, rooms[12]!, 'News')
  await eventually(async () => (await names('Rooms'))[0] === 'Berth 13')
  const { responseBodySize } = await (await answer).request().sizes()
  t.ok(responseBodySize > 0 && responseBodySize < 5000, `${responseBodySize} bytes`)
  t.notOk(fetched.includes('/rooms/berth-4/settings'), 'the page is not fetched again')
  const thread = await chat.post(owner, rooms[11]!, 'What do you think?')
  await chat.post(grace, rooms[11]!, 'A reply', { threadId: thread })
  await nav(ada).getByRole('link', { name: 'Berth 12 1 unread' }).waitFor()
  t.same((await names('Rooms')).slice(0, 2), ['Berth 12', 'Berth 13'], 'a reply counts')

  const filter = ada.getByLabel('Filter rooms')
  await filter.fill('berth 1')
  const shown = nav(ada).locator('[data-rooms] > li:visible bdi')
  t.same((await shown.allInnerTexts()).sort(), ['Berth 1', 'Berth 10', 'Berth 11', 'Berth 12', 'Berth 13'])
  t.equal(await nav(ada).getByText('Favourites').isVisible(), false)
  await chat.post(grace, rooms[9]!, 'More')
  await nav(ada).getByRole('link', { name: 'Berth 10 1 unread' }).waitFor()
  t.equal(await shown.count(), 5, 'it stays filtered when counts change')
  await accessible(t, ada)
  await filter.press('Escape')
  t.equal(await filter.inputValue(), '')
  t.ok((await shown.count()) > 12)
  await filter.fill('erth 11')
  await filter.press('Enter')
  await ada.waitForURL('**/rooms/berth-11')
})
