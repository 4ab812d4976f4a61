import type { Page } from 'playwright-core'
import t from 'tap'
import { checkBothWindows } from '../../../support/both-windows.ts'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t, { config: { timeZone: 'Pacific/Auckland' } })
const { owner, request, clock } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const tree = '/v1/fs/projects/general'

const writtenAt = clock.now()
await request('PUT', `${tree}/docs/tides.md`, { key: grace.key, body: '# Tide tables\n\nHigh.\n' })
// Past midnight in Auckland, in summer and winter, and early on the day before in Honolulu.
clock.set((Math.floor(clock.now() / dayMs) + 3) * dayMs + 12.5 * hourMs)
const dayAfter = (days: number) => new Date(clock.now() + days * dayMs).toISOString().slice(0, 10)
const [today, later] = [dayAfter(0), dayAfter(3)]

const put = (title: string, due: string) =>
  request('PUT', `${tree}/board/01-triage/${title.toLowerCase()}.md`, {
    body: `---\ndue: ${due}\nassignees: [Ada]\n---\n# ${title}\n`,
  })
await put('Paint', later)
await put('Sand', today)

interface Reader {
  timezoneId: string
  locale: string
  page: Page
}
const inAuckland = { timezoneId: 'Pacific/Auckland', locale: 'de-DE', window: 'laptop' } as const
/** Where it is still the day before the workspace's. */
const inHonolulu = { timezoneId: 'Pacific/Honolulu', locale: 'en-US', window: 'phone' } as const
const auckland: Reader = { ...inAuckland, page: await browser.openPageAs(workroom, owner, inAuckland) }
const honolulu: Reader = { ...inHonolulu, page: await browser.openPageAs(workroom, owner, inHonolulu) }

/** A day as it is shown to a reader: with its year unless that is the reader's current one. */
function shownDay(day: string, { locale, timezoneId }: Reader): string {
  const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: timezoneId }).format(clock.now())
  const style = day.startsWith(year)
    ? ({ day: 'numeric', month: 'short' } as const)
    : { dateStyle: 'medium' as const }
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' }).format(Date.parse(day))
}

function shownTime(atMs: number, { locale, timezoneId }: Reader): string {
  const part = (style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...style, timeZone: timezoneId }).format(atMs)
  return `${part({ dateStyle: 'medium' })}, ${part({ timeStyle: 'short' })}`
}

t.test(
  'a due date is the same day in every time zone, in the reader’s language, and late by the reader’s day',
  async (t) => {
    for (const reader of [auckland, honolulu]) {
      const { page } = reader
      const isLate = reader === auckland
      const due = (title: string) => page.locator('.card', { hasText: title }).locator('time.due')
      await page.goto('/projects/general/board')
      await due('Paint')
        .getByText(`Due ${shownDay(later, reader)}`)
        .waitFor()
      t.notMatch(await due('Paint').getAttribute('class'), 'danger')
      await due('Sand')
        .getByText(`${isLate ? 'Was due' : 'Due'} ${shownDay(today, reader)}`)
        .waitFor()
      t.equal(await page.locator('time.due.danger').count(), isLate ? 1 : 0, reader.timezoneId)
    }
  },
)

t.test('the home page shows what is overdue and due, in the reader’s language and time zone', async (t) => {
  const { page } = auckland
  await page
    .context()
    .addCookies([{ name: 'timezone', value: encodeURIComponent(auckland.timezoneId), url: workroom.url }])
  const response = (await page.goto('/'))!
  t.match((await response.allHeaders())['content-encoding'], /^(?:br|gzip)$/, 'it arrives compressed')
  const item = (section: string, title: string) =>
    page
      .getByRole('main')
      .getByRole('region', { name: section, exact: true })
      .getByRole('listitem')
      .filter({ hasText: title })
  await item('Due soon', 'Paint')
    .getByText(`Due ${shownDay(later, auckland)}`)
    .waitFor()
  const late = item('Overdue', 'Sand')
  await late.getByText(`Was due ${shownDay(today, auckland)}`).waitFor()
  t.same(await late.locator('bdi').allInnerTexts(), ['Sand', 'General'])
  await item('New in your projects', 'Tide tables').getByText(shownTime(writtenAt, auckland)).waitFor()
  await checkBothWindows(t, browser, page, 'the home page')
})

t.test(
  'a draft is scheduled in its author’s time zone, and its name begins with the day in the workspace’s',
  async (t) => {
    const { page, timezoneId } = honolulu
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const text = page.getByRole('textbox', { name: 'Text' })
    /** Moves the cursor to the end of the second line, `scheduledFor`. */
    const goToTime = async () => {
      await text.focus()
      for (const key of ['Control+Home', 'ArrowDown', 'End']) await page.keyboard.press(key)
    }
    await page.goto('/projects/general/new?kind=draft')
    await page.getByLabel('Title').fill('Plan')
    await page.getByText('Schedule', { exact: true }).click()
    await page.getByLabel('Publish at').fill(`${later}T09:30`)
    await text.getByText(/^scheduledFor: .*Z$/).waitFor()
    await goToTime()
    // Without the Z, the time has no zone.
    await page.keyboard.press('Backspace')
    browser.expectError(page, /status of 422/)
    await button('Save').click()
    await page.getByRole('alert').getByText('scheduledFor must be a time with its zone').waitFor()
    await goToTime()
    await page.keyboard.type('Z')
    await button('Save').click()
    const name = `${dayAfter(1)}-plan`
    await page.waitForURL(`/projects/general/edit/drafts/${name}`)
    const { text: source } = await request('GET', `${tree}/drafts/${name}.md`)
    const at = Date.parse(/^scheduledFor: (.*Z)$/m.exec(source)![1]!)
    const inZone = { dateStyle: 'short', timeStyle: 'short', timeZone: timezoneId } as const
    t.equal(new Intl.DateTimeFormat('sv-SE', inZone).format(at), `${later} 09:30`)

    await page.goto(`/projects/general/drafts/${name}`)
    await page
      .getByText(`scheduled for ${shownTime(at, honolulu)}`)
      .first()
      .waitFor()
    await page.goto(`/projects/general/drafts/${name}?edit`)
    await workroom.eventually(
      async () => (await page.getByLabel('Publish at').inputValue()) === `${later}T09:30`,
    )
    await button('Publish').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(`/projects/general/posts/${name}`)
    await page.getByRole('heading', { name: 'Plan', level: 1 }).waitFor()
  },
)
