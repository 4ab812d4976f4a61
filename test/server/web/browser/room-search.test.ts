import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace', 'general')
const { _id: room } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })
await chat.post(owner, 'general', 'A heron elsewhere')
const day = (offset: number) => new Date(chat.clock.now() + offset * 86_400_000).toISOString().slice(0, 10)
const file = await chat.request('POST', `/api/rooms/${room}/attachments?name=chart.pdf`, {
  key: grace.key,
  headers: { 'Content-Type': 'application/pdf' },
  body: Buffer.from('%PDF-1.7'),
})
await chat.post(grace, room, `A chart of its nest: [chart.pdf](${file.json.path})`)
const id = await chat.post(owner, room, 'The heron of the quay')
const last = await chat.post(grace, room, 'No heron today')

for (const window of ['laptop', 'phone'] as const) {
  t.test(`on a ${window} a link in a room’s header searches that room`, async (t) => {
    const page = await browser.openPageAs(chat, grace, { window })
    await page.goto('/rooms/quay')
    await page.getByRole('link', { name: 'Search', exact: true }).click()
    const results = page.getByRole('region', { name: 'In text' }).getByRole('listitem')
    await results.filter({ hasText: 'No heron today' }).waitFor()
    t.match(await results.first().innerText(), /No heron today/, 'the newest is first')
    await page.getByRole('searchbox', { name: 'Words' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('heron from:ada')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('q') === 'heron from:ada in:quay')
    t.equal(await results.count(), 1)
    t.equal(await results.locator('mark').innerText(), 'heron')
    const search = async (words: string) => {
      await page.getByRole('searchbox', { name: 'Words' }).fill(words)
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.searchParams.get('q')?.startsWith(words) ?? false)
      return results.count()
    }
    t.equal(await search(`in:quay before:${day(2)} heron`), 2)
    t.equal(await search(`in:quay before:${day(-2)} heron`), 0)
    t.equal(await search('has:file in:quay'), 1)
    t.match(await results.innerText(), 'A chart of its nest')
    await search('heron from:ada in:quay')
    await results.getByRole('link').click()
    await page.waitForURL((url) => url.hash === `#${id}`)
    await page.goto(`/search?q=${encodeURIComponent('heron from:nobody')}`)
    t.match(await page.getByRole('alert').innerText(), /from:nobody names no member/)
    t.equal(await page.getByRole('searchbox', { name: 'Words' }).inputValue(), 'heron from:nobody')
  })
}

t.test('the days of a search are days in the reader’s time zone', async (t) => {
  const sentMs = chat.clock.now()
  const page = await browser.openPageAs(chat, grace, { timezoneId: 'Pacific/Kiritimati' })
  const date = new Date(sentMs + 14 * 60 * 60 * 1000).toISOString().slice(0, 10)
  await page.goto('/search')
  await page.getByRole('searchbox', { name: 'Words' }).fill(`heron in:quay after:${date}`)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('zone') === 'Pacific/Kiritimati')
  t.ok((await page.locator(`#found-${last}`).count()) > 0)
})
