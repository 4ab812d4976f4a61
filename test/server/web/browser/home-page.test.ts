import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'

const dayMs = 24 * 60 * 60 * 1000
const locale = 'de-DE'
const timezoneId = 'Pacific/Auckland'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, request } = chat
const grace = await chat.person('Grace', 'general')
const tree = '/v1/fs/projects/general'
const put = (path: string, body: string) => request('PUT', `${tree}/${path}`, { body })
const writtenAt = chat.clock.now()
await put('docs/tides.md', '# Tide tables\n\nHigh.\n')
chat.clock.advance(2 * dayMs)

/** The UTC day some days from now. Three days away it is past, or to come, in every time zone. */
const dayAfter = (days: number) => new Date(chat.clock.now() + days * dayMs).toISOString().slice(0, 10)
const shownDay = (day: string) => {
  const isThisYear = day.slice(0, 4) === dayAfter(0).slice(0, 4)
  const format = isThisYear ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' }
  return new Intl.DateTimeFormat(locale, { ...(format as object), timeZone: 'UTC' }).format(Date.parse(day))
}
const card = (title: string, due: string) =>
  put(
    `board/02-todo/${encodeURIComponent(title)}.md`,
    `---\ndue: ${due}\nassignees: [Grace]\n---\n# ${title}\n`,
  )

const pages = {
  laptop: await browser.openPageAs(chat, grace, { locale, timezoneId }),
  phone: await browser.openPageAs(chat, grace, { locale, timezoneId, window: 'phone' }),
}
const main = (page: Page) => page.getByRole('main')
const section = (page: Page, name: string) => main(page).getByRole('region', { name, exact: true })

const [late, soon] = [dayAfter(-3), dayAfter(3)]
await card('Mend the crane', late)
const ropes = await card('Count the ropes', soon)
const { _id: room } = await chat.room(owner, {
  name: 'Quay',
  projectId: 'general',
  members: [grace.member.id],
})
const number = new URL(ropes.json.url).pathname.split('/').at(-1)
await chat.post(
  owner,
  room,
  `${mention(grace)} see [chart.png](${tree}/library/files/chart.png) for [[c:${number}]]`,
)
const options = ['Red', 'White']
for (const [key, title] of [
  [grace.key, 'Which rope?'],
  [owner.key, 'Which lamp?'],
]) {
  await request('POST', '/api/asks', { key, body: { project: 'general', title, options } })
}
for (const folder of [10, 2, 1]) await put(`docs/f${folder}/note-${folder}.md`, `# Note ${folder}\n`)

for (const [window, page] of Object.entries(pages)) {
  t.test(
    `on a ${window} the home page shows what is overdue and due, in the reader’s language`,
    async (t) => {
      await page.goto('/')
      const overdue = section(page, 'Overdue').getByRole('listitem').filter({ hasText: 'Mend the crane' })
      await overdue.getByText(`Was due ${shownDay(late)}`).waitFor()
      const due = section(page, 'Due soon').getByRole('listitem').filter({ hasText: 'Count the ropes' })
      await due.getByText(`Due ${shownDay(soon)}`).waitFor()
      t.same(await section(page, 'Overdue').locator('li bdi').allInnerTexts(), ['Mend the crane', 'General'])
      const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: timezoneId })
      const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezoneId })
      const written = section(page, 'New in your projects')
        .getByRole('listitem')
        .filter({ hasText: 'Tide tables' })
      await written.getByText(`${day.format(writtenAt)}, ${time.format(writtenAt)}`).waitFor()
      await checkAccessibility(t, page)
      t.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), page.viewportSize()!.width)
      await due.getByRole('link', { name: 'Count the ropes' }).click()
      await main(page).getByRole('heading', { name: 'Count the ropes' }).waitFor()
    },
  )

  t.test(`on a ${window} the home page and search results show texts without markup`, async (t) => {
    await page.goto('/')
    await section(page, 'Mentions').getByText('@Grace see chart.png for Count the ropes').waitFor()
    t.notMatch(await main(page).innerText(), /\[\[|\]\(/)
    await page.goto('/search?q=chart')
    await main(page).getByText('see chart.png for').waitFor()
    t.notMatch(await main(page).innerText(), /\]\(/)
  })

  t.test(
    `on a ${window} the home page asks for answers to others’ questions, not to the reader’s`,
    async (t) => {
      await page.goto('/')
      const asks = section(page, 'Asks for you').getByRole('listitem')
      await asks.filter({ hasText: 'Which lamp?' }).waitFor()
      t.equal(await asks.count(), 1)
      t.notMatch(await section(page, 'Asks for you').innerText(), 'Which rope?')
    },
  )

  t.test(`on a ${window} pages arrive compressed, and are shown`, async (t) => {
    for (const [path, heading] of [
      ['/projects/general/docs/tide-tables', 'Tide tables'],
      ['/projects/general/board', 'Board'],
    ] as const) {
      const response = (await page.goto(path))!
      t.match((await response.allHeaders())['content-encoding'], /^(?:br|gzip)$/, path)
      await main(page).getByRole('heading', { name: heading, level: 1 }).waitFor()
    }
  })

  t.test(`on a ${window} folders are sorted by the numbers in their names`, async (t) => {
    await page.goto('/projects/general/docs')
    t.same(await main(page).locator('summary bdi').filter({ hasText: /^f\d/ }).allInnerTexts(), [
      'f1',
      'f2',
      'f10',
    ])
  })
}
