import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'
import { sharedMarkdown } from '../../../support/shared-markdown.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t, { faults: { markdown: sharedMarkdown(t) } })
const ada = await browser.openPageAs(workroom, workroom.owner)
const phone = await browser.openPageAs(workroom, workroom.owner, { window: 'phone', colorScheme: 'dark' })
const text = (first: string) =>
  `# Long\n\n${first}\n\n${Array.from(
    { length: 300 },
    (_, number) =>
      `## Section ${number}\n\n${'Some *words* and [a link](https://example.org/). '.repeat(20)}\n`,
  ).join('\n')}`
const put = (first: string) =>
  workroom.request('PUT', '/v1/fs/projects/general/docs/long.md', { body: text(first) })
const page = new URL((await put('The beginning.')).json.url).pathname
const partsOf = (where: typeof ada) => where.locator('section.part')

t.test('the parts of a long document load as it is scrolled, at laptop and phone size', async (t) => {
  for (const person of [ada, phone]) {
    await person.goto(page)
    t.equal(await partsOf(person).count(), 0, 'the first page is small')
    await person.getByRole('navigation', { name: 'Later parts' }).scrollIntoViewIfNeeded()
    await person.locator('#part-2').waitFor()
    await person.locator('#part-2 [id^="section-"]').first().scrollIntoViewIfNeeded()
    const ids = await person.evaluate<string[]>(
      '[...document.querySelectorAll(".reading-text h2")].map(({ id }) => id)',
    )
    t.same(
      ids,
      Array.from(ids, (_, number) => `section-${number}`),
    )
    t.equal(await person.evaluate<number>('document.documentElement.scrollWidth <= innerWidth && 1'), 1)
  }
  await checkAccessibility(t, ada)
})

t.test('a link to a heading in a later part opens that part', async (t) => {
  await ada.goto(`${page}#section-280`)
  await ada.waitForURL(/\?part=\d+#section-280$/)
  t.ok(await ada.getByRole('heading', { name: 'Section 280', exact: true }).isVisible())
  await ada.getByRole('link', { name: 'Previous part' }).waitFor({ state: 'attached' })
})

t.test('a change by somebody else is shown in parts that were loaded later', async () => {
  await ada.goto(page)
  await ada.getByRole('navigation', { name: 'Later parts' }).scrollIntoViewIfNeeded()
  await ada.locator('#part-2').waitFor()
  await workroom.request('PUT', '/v1/fs/projects/general/docs/long.md', {
    body: text('Another beginning.').replace(/## Section (7\d)\n/g, '## Changed $1\n'),
  })
  await ada.getByText('Another beginning.').waitFor({ state: 'attached' })
  await ada
    .locator('#part-2')
    .getByText('Changed 79')
    .or(ada.getByText('Changed 79'))
    .first()
    .waitFor({ state: 'attached' })
})
