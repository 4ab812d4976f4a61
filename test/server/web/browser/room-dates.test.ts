import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messagesWith, waitUntilTrue } from '../../../support/room-pages.ts'

const hourMs = 60 * 60 * 1000
const browser = await openBrowser(t)
const chat = await openChat(t)
const { clock, owner } = chat
const grace = await chat.person('Grace', 'general')
const { _id: room } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })
const post = async (body: string) => ({ id: await chat.post(owner, room, body), sentMs: clock.now() })
await post('The first day')
// 07:30 in Tokyo, and still the day before in UTC.
clock.advance(24 * hourMs - (clock.now() % (24 * hourMs)) + 22.5 * hourMs)
const { id: early, sentMs } = await post('Early in Tokyo')
clock.advance(5 * hourMs)
const { id: later } = await post('Later')
const date = new Date(sentMs + 9 * hourMs).toISOString().slice(0, 10)

for (const window of ['laptop', 'phone'] as const) {
  t.test(`on a ${window} a date leads to its first message in the reader’s time zone`, async () => {
    const page = await browser.openPageAs(chat, grace, { window, timezoneId: 'Asia/Tokyo' })
    await page.goto('/rooms/quay')
    await page.getByText('Jump to date').click()
    await page.getByLabel('Date', { exact: true }).fill(date)
    await page.getByRole('button', { name: 'Jump', exact: true }).click()
    await page.waitForURL((url) => url.hash === `#${early}`)
  })
}

t.test('without script, a date is a day in UTC', async () => {
  const page = await browser.openPageAs(chat, grace, { javaScriptEnabled: false })
  await page.goto('/rooms/quay')
  await page.getByText('Jump to date').click()
  await page.getByLabel('Date', { exact: true }).fill(date)
  await page.getByRole('button', { name: 'Jump', exact: true }).click()
  await page.waitForURL((url) => url.hash === `#${later}`)
})

t.test(
  'a date after the last message leads to the latest messages, and an invalid date is refused',
  async (t) => {
    const page = await browser.openPageAs(chat, grace)
    await page.goto('/rooms/quay?on=2999-01-01')
    t.equal(new URL(page.url()).search, '')
    for (const query of ['on=2026-02-30', 'on=yesterday', 'on=2026-02-03&zone=Nowhere'])
      t.equal((await page.request.get(`/rooms/quay?${query}`)).status(), 400, query)
  },
)

t.test('messages are grouped by day in the reader’s time zone', async (t) => {
  const ada = await browser.openPageAs(chat, owner)
  t.teardown(() => ada.context().close())
  const { _id: id } = await chat.room(owner, { name: 'Far away', members: [grace.member.id] })
  const dayMs = 24 * 60 * 60 * 1000
  const hourMs = dayMs / 24
  const midnight = (Math.floor(chat.clock.now() / dayMs) + 1) * dayMs
  // On one day in UTC, and on both sides of midnight in Auckland, in summer and winter.
  chat.clock.set(midnight + 10 * hourMs)
  await chat.post(grace, id, 'Late on one day')
  const far = await browser.openPageAs(chat, owner, { timezoneId: 'Pacific/Auckland' })
  t.teardown(() => far.context().close())
  await Promise.all([far.goto('/rooms/far-away'), ada.goto('/rooms/far-away')])
  const order = (page: Page) =>
    page
      .locator('#messages > .day, #messages > .message')
      .evaluateAll((shown) =>
        shown.map(({ id, className }) => (className === 'day' ? id.slice('day-'.length) : 'message')),
      )
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const [one, next] = [day(midnight), day(midnight + dayMs)]
  t.same(await order(far), [one, 'message'])
  chat.clock.set(midnight + 13 * hourMs)
  await chat.post(grace, id, 'Early on the next')
  await Promise.all([far, ada].map((page) => messagesWith(page, 'Early on the next').waitFor()))
  t.same(await order(far), [one, 'message', next, 'message'], 'as it comes')
  t.same(await order(ada), [one, 'message', 'message'])
  await Promise.all([far.reload(), ada.reload()])
  await waitUntilTrue(far, 'document.querySelectorAll(".day").length === 2')
  t.same(await order(far), [one, 'message', next, 'message'], 'and as it is opened')
  t.same(await order(ada), [one, 'message', 'message'])
  t.equal(new Set(await far.locator('.day').allInnerTexts()).size, 2)
})
