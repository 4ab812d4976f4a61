import t from 'tap'
import { checkBothWindows } from '../../../support/both-windows.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'

const minuteMs = 60_000
const locale = 'de-DE'
const timezoneId = 'Pacific/Auckland'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t)
const { clock, request, owner } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const tree = '/v1/fs/projects/general'
const put = (path: string, body: string, key = owner.key) => request('PUT', `${tree}/${path}`, { key, body })
const lines = (count: number) => Array.from({ length: count }, (_, line) => `Line ${line + 1}.\n`).join('\n')

// Two sittings: Ada writes three times, and Grace once, an hour later.
const startedAt = clock.now()
for (const count of [1, 2, 3]) {
  await put('docs/minutes.md', `# Minutes\n\n${lines(count)}`)
  clock.advance(10 * minuteMs)
}
clock.advance(60 * minuteMs)
await put('docs/minutes.md', `# Minutes\n\n${lines(4)}`, grace.key)
// Read on a later day in every time zone.
clock.advance(2 * 24 * 60 * minuteMs)

const page = await browser.openPageAs(workroom, owner, { locale, timezoneId })
const main = page.getByRole('main')

t.test('the history is grouped by sitting, and any two revisions can be compared', async (t) => {
  await page.goto('/projects/general/docs/minutes?history')
  const sittings = page.locator('.history > li')
  t.equal(await sittings.count(), 2)
  await sittings.nth(0).getByText('Grace').first().waitFor()
  const adas = sittings.nth(1)
  const first = adas.locator('details .revision').last()
  t.equal(await first.isVisible(), false, 'the revisions of an older sitting are folded')
  await adas.getByText('2 earlier revisions by Ada').click()
  await first.waitFor()
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: timezoneId })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezoneId })
  t.equal(
    await first.locator('time').innerText(),
    `${day.format(startedAt)}, ${time.format(startedAt)}`,
    'the time is in the reader’s language and time zone',
  )
  await checkBothWindows(t, browser, page, 'the history')

  await first.getByRole('radio', { name: 'Compare from' }).check()
  await main.getByRole('button', { name: 'Compare selected' }).click()
  for (const line of ['Line 2.', 'Line 3.', 'Line 4.'])
    await main.locator('tr.added', { hasText: line }).first().waitFor()
  t.equal(await main.locator('tr.added', { hasText: 'Line 1.' }).count(), 0)
})

t.test('the activity of a card shows live who did what', async (t) => {
  const { url } = (await put('board/02-todo/mast.md', '# Mast\n\n- [ ] sand\n')).json
  const path = new URL(url).pathname
  const card = `${tree}/board/02-todo/${path.split('/').at(-1)}`
  await page.goto(path)
  const activity = page.getByRole('region', { name: 'Activity' })
  await activity.getByText('Ada created it').waitFor()
  clock.advance(minuteMs)
  await request('PUT', card, {
    key: grace.key,
    body: '---\nassignees: [Grace]\n---\n# Mast\n\n- [x] sand\n',
  })
  await activity
    .getByRole('listitem')
    .filter({ hasText: 'assigned Grace' })
    .filter({ hasText: 'ticked “sand”' })
    .waitFor()
  clock.advance(minuteMs)
  const response = await request('POST', `${card}/_move`, { body: { toColumn: '04-done' } })
  t.equal(response.status, 200)
  await activity.getByText('Ada moved it from To do to Done').waitFor()
  await checkBothWindows(t, browser, page, 'the page of a card with activity')
})
