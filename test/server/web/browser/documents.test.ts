import { rmSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openDesk } from '../../../support/desk.ts'

const browser = await openBrowser(t)
const desk = await openDesk(t)
const grace = await desk.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const ada = await browser.person(desk, desk.owner)
const phone = await browser.person(desk, grace, { window: 'phone', colorScheme: 'dark' })
const tree = '/v1/fs/projects/general'

const put = async (path: string, text: string, key = desk.owner.key) => {
  const { json } = await desk.request('PUT', `${tree}/${path}`, { key, body: text })
  return { id: json.id as string, page: new URL(json.url).pathname, path: json.path as string }
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const paragraphs = (from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, index) => `Paragraph ${from + index}. ${'Words and more. '.repeat(12)}`,
  ).join('\n\n')
const long = (first: string) =>
  `# A long text\n\n${first}\n\n## One\n\n${paragraphs(0, 12)}\n\n## Two\n\n${paragraphs(12, 30)}\n`
/** Where a text stands in the window, in pixels. */
const topOf = async (page: Page, text: string) => (await page.getByText(text).boundingBox())!.y

t.test('a document is for everybody, wide and narrow, light and dark', async (t) => {
  const { page } = await put(
    'docs/rich.md',
    '---\ntags: [a, b]\n---\n# Rich\n\n- [x] done\n\n| a | b |\n| - | - |\n| 1 | a_very_long_word_that_never_ends_and_goes_on_and_on_and_on_and_on |\n\n```ts\nconst answer = await ask("why", 42) // a long line of code that does not fit on any phone at all\n```\n\n> said\n\n[[Nothing]] and @Grace Hopper[^1]\n\n## One\n\n## Two\n\n[^1]: A note.\n',
  )
  for (const person of [ada, phone]) {
    await person.goto(page)
    await accessible(t, person)
    await person.goto(`${page}?history`)
    await accessible(t, person)
    await person.goto('/projects/general')
    await accessible(t, person)
  }
  await phone.goto(page)
  t.equal(await phone.evaluate<number>('document.documentElement.scrollWidth'), 375)
  await phone.getByText('Contents').click()
  await phone.locator('#contents').getByRole('link', { name: 'Two' }).click()
  t.match(phone.url(), /#two$/)
})

t.test('what is changed on the disk shows at once, marked, and what is read does not move', async (t) => {
  const { page } = await put('docs/a-long-text.md', long('The beginning.'))
  await ada.goto(page)
  const outline = ada.locator('#outline')
  await outline.getByRole('link', { name: 'Two' }).click()
  await outline.locator('[aria-current]', { hasText: 'Two' }).waitFor()
  const before = await topOf(ada, 'Paragraph 14.')
  desk.write('documents/a-long-text.md', long(`Another beginning.\n\n${paragraphs(100, 106)}`))
  await ada.getByText('Another beginning.').waitFor({ state: 'attached' })
  t.ok(Math.abs((await topOf(ada, 'Paragraph 14.')) - before) < 2)
  t.same(
    await ada.evaluate<string[]>(
      'document.getAnimations().filter(({ id }) => id === "changed").map(({ effect }) => effect.target.textContent.slice(0, 14))',
    ),
    ['Another beginn', ...Array.from({ length: 6 }, (_, index) => `Paragraph ${100 + index}.`)],
    'what is new is marked for a moment',
  )
  await put('docs/a-long-text.md', long('By curl.'), grace.key)
  await ada.getByText('By curl.').waitFor({ state: 'attached' })
  await ada.getByText(/edited by Grace Hopper/).waitFor({ state: 'attached' })
})

t.test('whoever reads the same document is seen, and at which block', async (t) => {
  const { page } = await put(
    'docs/together.md',
    '# Together\n\nOne block.\n\n## Part\n\nAnother.\n\n## More\n\nLast.\n',
  )
  await Promise.all([ada.goto(page), phone.goto(page)])
  const here = ada.getByRole('list', { name: 'Here now' })
  await here.getByText('Grace Hopper is reading').waitFor()
  await ada.locator('.at-block', { hasText: 'Grace Hopper' }).waitFor()
  await phone.goto('/projects/general/docs')
  await here.waitFor({ state: 'detached' })
  await phone.goto(page)
  await here.waitFor()
  t.pass('who leaves is gone at once')
})

t.test('a document is renamed, restored and deleted under the eyes of who reads it', async () => {
  const { page, path } = await put('docs/first.md', '# First\n\nAt first.\n')
  await put('docs/first.md', '# First\n\nLater.\n')
  await phone.goto(page)
  await phone.getByText('Later.').waitFor()
  await ada.goto(page)
  await ada.getByRole('link', { name: 'History' }).click()
  await button(ada, 'Restore').click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await ada.waitForURL(page)
  await ada.getByText('At first.').waitFor()
  await phone.getByText('At first.').waitFor()
  await desk.request('PUT', path, { body: '# Second\n\nAt first.\n' })
  await phone.getByRole('heading', { name: 'Second', level: 1 }).waitFor()
  await phone.waitForURL('/projects/general/docs/second')
  await button(ada, 'More actions').click()
  await button(ada, 'Move to the trash').click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Move to the trash' }).click()
  // Whoever has it open looks at it once more, the one who is about to leave it as well.
  for (const page of [phone, ada]) browser.expect(page, /status of 404/)
  await phone.getByRole('heading', { name: 'There is no such document' }).waitFor()
  await ada.waitForURL('/projects/general/docs')
})

t.test('a draft is published and talked about, and both see it at once', async (t) => {
  const { page } = await put('drafts/news.md', '# Good news\n\nHello @Grace Hopper.\n')
  await ada.goto(page)
  await accessible(t, ada)
  await button(ada, 'Publish').click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await ada.waitForURL(/\/posts\/.*good-news$/)
  t.equal(
    desk.workspace.inbox.unread({ member: grace.member, keyId: 'none', scopes: new Set(['*']) }).length,
    1,
  )
  await phone.goto(new URL(ada.url()).pathname)
  await desk.eventually(
    () =>
      desk.workspace.inbox.unread({ member: grace.member, keyId: 'none', scopes: new Set(['*']) }).length ===
      0,
  )
  await ada.getByLabel('Your comment').fill('What do you **think**?')
  await button(ada, 'Comment').click()
  await phone.getByText('think', { exact: true }).waitFor()
  t.equal(await ada.getByLabel('Your comment').inputValue(), '')
  await ada.getByLabel('Your comment').fill('Half a thought')
  await phone.getByText('Reply to Ada').click()
  await phone.getByLabel('Your reply').fill('Very good')
  await button(phone, 'Reply').click()
  await ada.locator('.replies').getByText('Very good').waitFor()
  t.equal(await ada.getByLabel('Your comment').inputValue(), 'Half a thought', 'what is being written stays')
  await phone.locator('.reply:not([open])').waitFor()
  await accessible(t, ada)
  await accessible(t, phone)
  await button(phone, 'Delete').click()
  await phone.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await ada.getByText('Very good').waitFor({ state: 'detached' })
  await button(ada, 'More actions').click()
  await button(ada, 'Pin to the top').click()
  await phone.getByText('Pinned').waitFor()
})

t.test('the lists follow what comes and goes', async () => {
  await phone.goto('/projects/general/docs')
  desk.write('documents/corner/from-the-disk.md', '# From the disk\n')
  await phone.getByRole('link', { name: 'From the disk' }).waitFor()
  rmSync(desk.at('documents/corner/from-the-disk.md'))
  await phone.getByRole('link', { name: 'From the disk' }).waitFor({ state: 'detached' })
})
