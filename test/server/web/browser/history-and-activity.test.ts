import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
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

const main = (page: Page) => page.getByRole('main')
const fits = async (page: Page) =>
  (await page.evaluate<number>('document.documentElement.scrollWidth')) === page.viewportSize()!.width
const pages = {
  laptop: await browser.openPageAs(workroom, owner, { locale, timezoneId }),
  phone: await browser.openPageAs(workroom, owner, { locale, timezoneId, window: 'phone' }),
}

for (const [window, page] of Object.entries(pages)) {
  t.test(
    `on a ${window} the history is grouped by sitting, and any two revisions can be compared`,
    async (t) => {
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
      await checkAccessibility(t, page)
      t.ok(await fits(page))

      await adas.getByRole('link', { name: 'Show changes' }).first().click()
      await main(page).locator('tr.added', { hasText: 'Line 3.' }).first().waitFor()
      t.equal(await main(page).locator('tr.added', { hasText: 'Line 4.' }).count(), 0)
      await page.goBack()
      await adas.getByText('2 earlier revisions by Ada').click()
      await first.getByRole('radio', { name: 'Compare from' }).check()
      await main(page).getByRole('button', { name: 'Compare selected' }).click()
      for (const line of ['Line 2.', 'Line 3.', 'Line 4.'])
        await main(page).locator('tr.added', { hasText: line }).first().waitFor()
    },
  )

  t.test(`on a ${window} the activity of a card shows live who did what`, async (t) => {
    const { url } = (await put(`board/02-todo/mast-${window}.md`, `# Mast of a ${window}\n\n- [ ] sand\n`))
      .json
    const path = new URL(url).pathname
    const number = path.split('/').at(-1)
    await page.goto(path)
    const activity = page.getByRole('region', { name: 'Activity' })
    await activity.getByText('Ada created it').waitFor()
    clock.advance(minuteMs)
    await put(
      `board/02-todo/${number}`,
      `---\nassignees: [Grace]\n---\n# Mast of a ${window}\n\n- [x] sand\n`,
      grace.key,
    )
    await activity
      .getByRole('listitem')
      .filter({ hasText: 'assigned Grace' })
      .filter({ hasText: 'ticked “sand”' })
      .waitFor()
    clock.advance(minuteMs)
    const response = await request('POST', `${tree}/board/02-todo/${number}/_move`, {
      body: { toColumn: '04-done' },
    })
    t.equal(response.status, 200)
    await activity.getByText('Ada moved it from To do to Done').waitFor()
    await checkAccessibility(t, page)
    t.ok(await fits(page))
  })

  t.test(
    `on a ${window} the list of all activity of a document has pages, and includes disk edits`,
    async (t) => {
      const { json } = await put(`docs/log-${window}.md`, `# Log ${window}\n\nA line.\n`)
      for (let remark = 1; remark <= 50; remark++) {
        clock.advance(40 * minuteMs)
        await request('POST', `/v1/documents/${json.id}/comments`, { body: { body: `Remark ${remark}` } })
      }
      writeFileSync(workroom.at(`documents/log-${window}.md`), `# Log ${window}\n\nBy hand.\n`)
      await workroom.scan()
      await page.goto(new URL(json.url).pathname)
      await page.getByRole('link', { name: 'Show all activity' }).click()
      const list = main(page).locator('.activity-list')
      await list.getByText('Ada edited the text on disk').waitFor()
      t.equal(await list.getByRole('listitem').count(), 50)
      await checkAccessibility(t, page)
      t.ok(await fits(page))
      await main(page).getByRole('link', { name: 'Older' }).click()
      await list.getByText('Ada created it').waitFor()
      await main(page).getByRole('link', { name: 'Newer' }).click()
      await list.getByText('Ada edited the text on disk').waitFor()
    },
  )
}
