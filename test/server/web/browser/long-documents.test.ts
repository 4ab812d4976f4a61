import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'
import { sharedMarkdown } from '../../../support/shared-markdown.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t, { faults: { markdown: sharedMarkdown(t) } })
const ada = await browser.openPageAs(workroom, workroom.owner)
const prose = 'Some words of prose. '.repeat(45)
/** Enough for several parts, in few elements. */
const text = (first: string) =>
  `# Long\n\n${first}\n\n${Array.from(
    { length: 300 },
    (_, number) => `## Section ${number}\n\nSome *words* and [a link](https://example.org/). ${prose}\n`,
  ).join('\n')}`
const put = (first: string, change = (whole: string) => whole) =>
  workroom.request('PUT', '/v1/fs/projects/general/docs/long.md', { body: change(text(first)) })
const page = new URL((await put('The beginning.')).json.url).pathname
const part = (number: number) => ada.locator(`#part-${number}`)
const loadNextPart = () => ada.getByRole('navigation', { name: 'Later parts' }).scrollIntoViewIfNeeded()

t.test('the parts of a long document load as it is scrolled, and show what others change', async (t) => {
  await ada.goto(page)
  t.equal(await ada.locator('section.part').count(), 0, 'the first page is small')
  const checkParts = async (window: 'laptop' | 'phone', last: number) => {
    await loadNextPart()
    await part(last).waitFor()
    await part(last).locator('[id^="section-"]').first().scrollIntoViewIfNeeded()
    const ids = await ada.evaluate<string[]>(
      '[...document.querySelectorAll(".reading-text h2")].map(({ id }) => id)',
    )
    t.same(
      ids,
      Array.from(ids, (_, number) => `section-${number}`),
      `the sections are in order on a ${window}`,
    )
    t.ok(
      await ada.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'),
      `they fit the window of a ${window}`,
    )
  }
  await checkParts('laptop', 2)
  await checkAccessibility(t, ada)
  await browser.resize(ada, 'phone')
  await checkParts('phone', 3)
  await put('Another beginning.', (whole) => whole.replaceAll(/^## Section (7\d)$/gm, '## Changed $1'))
  await ada.getByText('Another beginning.').waitFor({ state: 'attached' })
  await part(2).getByRole('heading', { name: 'Changed 79' }).waitFor({ state: 'attached' })
})

t.test('a link to a heading in a later part opens that part', async (t) => {
  await browser.resize(ada, 'laptop')
  await ada.goto(`${page}#section-280`)
  await ada.waitForURL(/\?part=\d+#section-280$/)
  t.ok(await ada.getByRole('heading', { name: 'Section 280', exact: true }).isVisible())
  await ada.getByRole('link', { name: 'Previous part' }).waitFor({ state: 'attached' })
})
