import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { owner, request, clock } = workroom
const dayMs = 24 * 60 * 60 * 1000
const dayAfter = (days: number) => new Date(clock.now() + days * dayMs).toISOString().slice(0, 10)

t.test('a due date is the same day wherever its reader is, in the reader’s language', async (t) => {
  const due = dayAfter(3)
  await request('PUT', '/v1/fs/projects/general/board/01-triage/x.md', {
    body: `---\ndue: ${due}\n---\n# Paint\n`,
  })
  for (const [timezoneId, locale, window] of [
    ['Pacific/Auckland', 'de-DE', 'laptop'],
    ['Pacific/Auckland', 'de-DE', 'phone'],
    ['Pacific/Honolulu', 'en-US', 'laptop'],
    ['Pacific/Honolulu', 'en-US', 'phone'],
  ] as const) {
    const page = await browser.person(workroom, owner, { timezoneId, locale, window })
    t.teardown(() => page.context().close())
    await page.goto('/projects/general/board')
    const shown = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
    await page
      .getByText(`Due ${shown.format(Date.parse(due))}`, { exact: false })
      .first()
      .waitFor()
    t.equal(await page.locator('time.due.danger').count(), 0)
  }
})
