import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { owner, request, clock } = workroom
const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
// Past midnight in Auckland, in summer and winter, and early on the day before in Honolulu.
clock.set((Math.floor(clock.now() / dayMs) + 1) * dayMs + 12.5 * hourMs)
const dayAfter = (days: number) => new Date(clock.now() + days * dayMs).toISOString().slice(0, 10)
const [today, later] = [dayAfter(0), dayAfter(3)]

const put = (title: string, due: string) =>
  request('PUT', `/v1/fs/projects/general/board/01-triage/${title.toLowerCase()}.md`, {
    body: `---\ndue: ${due}\n---\n# ${title}\n`,
  })
await put('Paint', later)
await put('Sand', today)

const readers: { timezoneId: string; locale: string; page: Page }[] = []
for (const [timezoneId, locale, window] of [
  ['Pacific/Auckland', 'de-DE', 'laptop'],
  ['Pacific/Auckland', 'de-DE', 'phone'],
  ['Pacific/Honolulu', 'en-US', 'laptop'],
  ['Pacific/Honolulu', 'en-US', 'phone'],
] as const) {
  const page = await browser.person(workroom, owner, { timezoneId, locale, window })
  await page.goto('/projects/general/board')
  readers.push({ timezoneId, locale, page })
}
const due = (page: Page, title: string) => page.locator('.card', { hasText: title }).locator('time.due')
/** A day as it is shown to a reader: with its year unless that is the reader's current one. */
function shown(day: string, { locale, timezoneId }: { locale: string; timezoneId: string }): string {
  const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: timezoneId }).format(clock.now())
  const style = day.startsWith(year)
    ? ({ day: 'numeric', month: 'short' } as const)
    : { dateStyle: 'medium' as const }
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' }).format(Date.parse(day))
}

t.test('a due date is the same day in every time zone, in the reader’s language', async (t) => {
  for (const { page, ...reader } of readers) {
    await due(page, 'Paint')
      .getByText(`Due ${shown(later, reader)}`)
      .waitFor()
    t.notMatch(await due(page, 'Paint').getAttribute('class'), 'danger')
  }
})

t.test('whether a card is late depends on the reader’s time zone', async (t) => {
  for (const { page, ...reader } of readers) {
    const isLate = reader.timezoneId === 'Pacific/Auckland'
    await due(page, 'Sand')
      .getByText(`${isLate ? 'Was due' : 'Due'} ${shown(today, reader)}`)
      .waitFor()
    t.equal(await page.locator('time.due.danger').count(), isLate ? 1 : 0, reader.timezoneId)
  }
})
