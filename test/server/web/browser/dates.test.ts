import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t, { config: { timeZone: 'Pacific/Auckland' } })
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

const readers: { timezoneId: string; locale: string; window: string; page: Page }[] = []
for (const [timezoneId, locale, window] of [
  ['Pacific/Auckland', 'de-DE', 'laptop'],
  ['Pacific/Auckland', 'de-DE', 'phone'],
  ['Pacific/Honolulu', 'en-US', 'laptop'],
  ['Pacific/Honolulu', 'en-US', 'phone'],
] as const) {
  const page = await browser.openPageAs(workroom, owner, { timezoneId, locale, window })
  readers.push({ timezoneId, locale, window, page })
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
    await page.goto('/projects/general/board')
    await due(page, 'Paint')
      .getByText(`Due ${shown(later, reader)}`)
      .waitFor()
    t.notMatch(await due(page, 'Paint').getAttribute('class'), 'danger')
  }
})

t.test('whether a card is late depends on the reader’s time zone', async (t) => {
  for (const { page, ...reader } of readers) {
    await page.goto('/projects/general/board')
    const isLate = reader.timezoneId === 'Pacific/Auckland'
    await due(page, 'Sand')
      .getByText(`${isLate ? 'Was due' : 'Due'} ${shown(today, reader)}`)
      .waitFor()
    t.equal(await page.locator('time.due.danger').count(), isLate ? 1 : 0, reader.timezoneId)
  }
})

// In Honolulu it is still the day before the workspace's.
const authors = readers.filter(({ timezoneId }) => timezoneId === 'Pacific/Honolulu')

for (const { page, timezoneId, locale, window } of authors) {
  const openEditor = async (title: string) => {
    await page.goto('/projects/general/new?kind=draft')
    await page.getByLabel('Title').fill(title)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const text = page.getByRole('textbox', { name: 'Text' })
  const savedDraft = async (title: string) => {
    await button('Save').click()
    await page.waitForURL('**/edit/drafts/*')
    const { posts } = (await request('GET', '/v1/fs/projects/general/drafts')).json
    return posts.find((one: { title: string }) => one.title === title)
  }

  t.test(`on a ${window} a draft is scheduled in its author’s time zone`, async (t) => {
    const title = `Plan of a ${window}`
    await openEditor(title)
    await page.getByText('Schedule', { exact: true }).click()
    await page.getByLabel('Publish at').fill(`${later}T09:30`)
    // Without the Z, the time has no zone.
    await text.getByText(/^scheduledFor: .*Z$/).click()
    await page.keyboard.press('End')
    await page.keyboard.press('Backspace')
    browser.expectError(page, /status of 422/)
    await button('Save').click()
    await page.getByRole('alert').getByText('scheduledFor must be a time with its zone').waitFor()
    await text.getByText(/^scheduledFor: /).click()
    await page.keyboard.press('End')
    await page.keyboard.type('Z')
    const { url, path } = await savedDraft(title)
    const [, stored] = /^scheduledFor: (.*Z)$/m.exec((await request('GET', path)).text)!
    const at = Date.parse(stored!)
    const inZone = { dateStyle: 'short', timeStyle: 'short', timeZone: timezoneId } as const
    t.equal(new Intl.DateTimeFormat('sv-SE', inZone).format(at), `${later} 09:30`)

    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: timezoneId }).format(at)
    const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezoneId }).format(at)
    for (const shownOn of [new URL(url).pathname, '/projects/general/drafts']) {
      await page.goto(shownOn)
      await page.getByText(`scheduled for ${day}, ${time}`).first().waitFor()
    }
    await page.goto(`${new URL(url).pathname}?edit`)
    await workroom.eventually(
      async () => (await page.getByLabel('Publish at').inputValue()) === `${later}T09:30`,
    )
  })

  t.test(`on a ${window} the name of a post begins with the day in the workspace’s time zone`, async (t) => {
    const title = `News of a ${window}`
    await openEditor(title)
    const { filename, url } = await savedDraft(title)
    const name = `${dayAfter(1)}-${title.toLowerCase().replaceAll(' ', '-')}`
    t.equal(filename, `${name}.md`)
    await page.goto(new URL(url).pathname)
    await button('Publish').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(`/projects/general/posts/${name}`)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  })
}
