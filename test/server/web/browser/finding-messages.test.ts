import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messagesWith, waitUntilTrue } from '../../../support/room-pages.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const browser = await openBrowser(t)
const chat = await openChat(t)
const { clock, owner } = chat
const grace = await chat.person('Grace', 'general')
const { _id: room } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })
await chat.post(owner, 'general', 'A heron elsewhere')
const heron = await chat.post(owner, room, 'The heron of the quay')
// 22:30 in UTC, and the morning of the next day in Auckland, in summer and winter.
clock.advance(dayMs - (clock.now() % dayMs) + 22.5 * hourMs)
const early = await chat.post(grace, room, 'No heron early in Auckland')
const dateInAuckland = new Date(clock.now() + 12 * hourMs).toISOString().slice(0, 10)
clock.advance(5 * hourMs)
await chat.post(owner, room, 'Later')
const hers = await browser.openPageAs(chat, grace, { window: 'phone', timezoneId: 'Pacific/Auckland' })

t.test('a link in a room’s header searches that room, by days in the reader’s time zone', async (t) => {
  await browser.resize(hers, 'laptop')
  await hers.goto('/rooms/quay')
  await hers.getByRole('link', { name: 'Search', exact: true }).click()
  const results = hers.getByRole('region', { name: 'In text' }).getByRole('listitem')
  await results.filter({ hasText: 'No heron early' }).waitFor()
  t.match(await results.first().innerText(), /Later/, 'the newest is first')
  const words = hers.getByRole('searchbox', { name: 'Words' })
  await words.and(hers.locator(':focus')).waitFor()
  await hers.keyboard.type('heron from:ada')
  await hers.keyboard.press('Enter')
  await hers.waitForURL((url) => url.searchParams.get('q') === 'heron from:ada in:quay')
  t.equal(await results.count(), 1)
  t.equal(await results.locator('mark').innerText(), 'heron')
  const days = `heron in:quay after:${dateInAuckland}`
  await words.fill(days)
  await hers.keyboard.press('Enter')
  await hers.waitForURL((url) => url.searchParams.get('q') === days)
  t.equal(await hers.locator(`#found-${early}`).count(), 1)
  t.equal(await results.count(), 1)
  await browser.resize(hers, 'phone')
  await words.fill('heron from:ada in:quay')
  await hers.keyboard.press('Enter')
  await results.filter({ hasText: 'The heron of the quay' }).getByRole('link').tap()
  await hers.waitForURL((url) => url.hash === `#${heron}`)
})

t.test('a date leads to its first message in the reader’s time zone', async () => {
  await browser.resize(hers, 'phone')
  await hers.goto('/rooms/quay')
  await hers.getByText('Jump to date').tap()
  await hers.getByLabel('Date', { exact: true }).fill(dateInAuckland)
  await hers.getByRole('button', { name: 'Jump', exact: true }).tap()
  await hers.waitForURL((url) => url.hash === `#${early}`)
})

t.test('messages are grouped by day in the reader’s time zone', async (t) => {
  const ada = await browser.openPageAs(chat, owner)
  const { _id: id } = await chat.room(owner, { name: 'Far away', members: [grace.member.id] })
  const midnight = (Math.floor(clock.now() / dayMs) + 1) * dayMs
  // On one day in UTC, and on both sides of midnight in Auckland, in summer and winter.
  clock.set(midnight + 10 * hourMs)
  await chat.post(owner, id, 'Late on one day')
  await browser.resize(hers, 'laptop')
  await Promise.all([hers, ada].map((page) => page.goto('/rooms/far-away')))
  const order = (page: Page) =>
    page
      .locator('#messages > .day, #messages > .message')
      .evaluateAll((shown) =>
        shown.map(({ id, className }) => (className === 'day' ? id.slice('day-'.length) : 'message')),
      )
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const [one, next] = [day(midnight), day(midnight + dayMs)]
  t.same(await order(hers), [one, 'message'])
  clock.set(midnight + 13 * hourMs)
  await chat.post(owner, id, 'Early on the next')
  await Promise.all([hers, ada].map((page) => messagesWith(page, 'Early on the next').waitFor()))
  t.same(await order(hers), [one, 'message', next, 'message'], 'as it comes')
  t.same(await order(ada), [one, 'message', 'message'])
  await Promise.all([hers.reload(), ada.reload()])
  await waitUntilTrue(hers, 'document.querySelectorAll(".day").length === 2')
  t.same(await order(hers), [one, 'message', next, 'message'], 'and as it is opened')
  t.same(await order(ada), [one, 'message', 'message'])
  t.equal(new Set(await hers.locator('.day').allInnerTexts()).size, 2)
})
