import { renameSync, rmSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t)
const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const ada = await browser.openPageAs(workroom, workroom.owner)
const phone = await browser.openPageAs(workroom, grace, { window: 'phone', colorScheme: 'dark' })
const tree = '/v1/fs/projects/general'

const put = async (path: string, text: string, key = workroom.owner.key) => {
  const { json } = await workroom.request('PUT', `${tree}/${path}`, { key, body: text })
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
/** The distance of a text from the top of the window, in pixels. */
const topOf = async (page: Page, text: string) => (await page.getByText(text).boundingBox())!.y

t.test('a document with blocks of every kind is accessible, wide and narrow, light and dark', async (t) => {
  const { page } = await put(
    'docs/rich.md',
    '---\ntags: [a, b]\n---\n# Rich\n\n- [x] done\n\n| a | b |\n| - | - |\n| 1 | a_very_long_word_that_never_ends_and_goes_on_and_on_and_on_and_on |\n\n```ts\nconst answer = await ask("why", 42) // a long line of code that does not fit on any phone at all\n```\n\n> said\n\n[[Nothing]] and @Grace Hopper[^1]\n\n## One\n\n## Two\n\n[^1]: A note.\n',
  )
  await phone.goto(page)
  await checkAccessibility(t, phone, 'on a phone, in dark')
  t.equal(await phone.evaluate<number>('document.documentElement.scrollWidth'), 375)
  await phone.getByText('Contents').click()
  await phone.locator('#contents').getByRole('link', { name: 'Two' }).click()
  t.match(phone.url(), /#two$/)
  await browser.resize(phone, 'laptop')
  await phone.emulateMedia({ colorScheme: 'light' })
  await checkAccessibility(t, phone, 'on a laptop, in light')
  await phone.emulateMedia({ colorScheme: 'dark' })
  await browser.resize(phone, 'phone')
})

t.test(
  'an open page follows its file on the disk, marks what is new, and does not move what is read',
  async (t) => {
    const { page } = await put('docs/a-long-text.md', long('The beginning.'))
    await ada.goto(page)
    const outline = ada.locator('#outline')
    await outline.getByRole('link', { name: 'Two' }).click()
    await outline.locator('[aria-current]', { hasText: 'Two' }).waitFor()
    const before = await topOf(ada, 'Paragraph 14.')
    workroom.write('documents/a-long-text.md', long(`Another beginning.\n\n${paragraphs(100, 106)}`))
    await ada.getByText('Another beginning.').waitFor({ state: 'attached' })
    t.ok(Math.abs((await topOf(ada, 'Paragraph 14.')) - before) < 2)
    t.same(
      await ada.evaluate<string[]>(
        'document.getAnimations().filter(({ id }) => id === "changed").map(({ effect }) => effect.target.textContent.slice(0, 14))',
      ),
      ['Another beginn', ...Array.from({ length: 6 }, (_, index) => `Paragraph ${100 + index}.`)],
      'new blocks are marked for a moment',
    )
    await put('docs/a-long-text.md', long('By curl.'), grace.key)
    await ada.getByText('By curl.').waitFor({ state: 'attached' })
    await ada.getByText(/edited by Grace Hopper/).waitFor({ state: 'attached' })

    const middle = await topOf(ada, 'Paragraph 14.')
    renameSync(workroom.at('documents/a-long-text.md'), workroom.at('documents/lies-there.md'))
    await ada.waitForURL('/projects/general/docs/lies-there#two')
    t.ok(Math.abs((await topOf(ada, 'Paragraph 14.')) - middle) < 2, 'its address changes when it moves')
    await put('docs/lies-there.md', long('The page goes on following it.'))
    await ada.getByText('The page goes on following it.').waitFor({ state: 'attached' })
  },
)

t.test('readers of a document see one another, and the block that each reads', async (t) => {
  const { page } = await put(
    'docs/together.md',
    `# Together\n\n${paragraphs(0, 12)}\n\nThe last of all. ${'Words and more. '.repeat(60)}\n`,
  )
  await Promise.all([ada.goto(page), phone.goto(page)])
  const here = ada.getByRole('list', { name: 'Here now' })
  await here.getByText('Grace Hopper is reading').waitFor()
  const mark = ada.locator('.at-block', { hasText: 'Grace Hopper' })
  /** Scrolls a paragraph to the middle of Grace's window and waits until her mark is beside it. */
  const standsAt = async (text: string) => {
    await phone.getByText(text).evaluate((block) => block.scrollIntoView({ block: 'center' }))
    await workroom.eventually(async () => {
      const [at, block] = await Promise.all([mark.boundingBox(), ada.getByText(text).boundingBox()])
      return at && Math.abs(at.y - block!.y) < 2 && Math.abs(at.height - block!.height) < 2
    })
  }
  await standsAt('The last of all.')
  t.equal(await mark.count(), 1)
  await standsAt('Paragraph 6.')
  t.equal(await mark.count(), 1, 'the mark moves with her')
  await phone.goto('/projects/general/docs')
  await here.waitFor({ state: 'detached' })
  await phone.goto(page)
  await here.waitFor()
  t.pass('a reader who leaves is removed at once')
})

t.test('an open page follows its document when it is restored, renamed and deleted', async () => {
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
  await workroom.request('PUT', path, { body: '# Second\n\nAt first.\n' })
  for (const page of [phone, ada]) {
    await page.getByRole('heading', { name: 'Second', level: 1 }).waitFor()
    await page.waitForURL('/projects/general/docs/second')
  }
  await button(ada, 'More actions').click()
  await button(ada, 'Move to trash').click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
  // Every open page of the document fetches it once more, and so does the one about to leave it.
  for (const page of [phone, ada]) browser.expectError(page, /status of 404/)
  await phone.getByRole('heading', { name: 'Document not found' }).waitFor()
  await ada.waitForURL('/projects/general/docs')
  // The page that stayed makes one more request a moment later.
  await phone.goto('/projects/general/docs')
})

t.test('the home page shows live what waits for its reader', async () => {
  await phone.goto('/')
  const { json } = await workroom.request('POST', '/api/asks', {
    body: { project: 'general', title: 'Who paints the pier?', assignees: [grace.member.id] },
  })
  const ask = phone.getByRole('main').getByRole('link', { name: 'Who paints the pier?' })
  await ask.waitFor()
  await workroom.request('POST', `/api/asks/${json.askId}/cancel`)
  await ask.waitFor({ state: 'detached' })
})

t.test('the row being read in a list does not move when a row appears above it', async (t) => {
  for (let n = 0; n < 30; n++) await put(`posts/row-${n}.md`, `# Row ${n} of the list\n\nText.\n`)
  await ada.goto('/projects/general/posts')
  // Not every browser has scroll anchoring.
  await ada.evaluate('document.body.style.overflowAnchor = "none"')
  const row = 'Row 15 of the list'
  await ada.getByText(row).evaluate((link) => link.scrollIntoView({ block: 'center' }))
  const before = await topOf(ada, row)
  await put('posts/newest.md', '# The newest of all\n\nText.\n')
  await ada.getByText('The newest of all').waitFor({ state: 'attached' })
  t.ok(Math.abs((await topOf(ada, row)) - before) <= 2)
})

t.test('the page of a draft becomes that of the post when it is published elsewhere', async () => {
  const { page, path } = await put('drafts/soon.md', '# Soon\n\nFor all.\n')
  await ada.goto(page)
  const { json } = await workroom.request('POST', `${path}/_publish`)
  await ada.waitForURL(new URL(json.url).pathname)
  await ada.getByLabel('Your comment').waitFor()
})

t.test('a draft is published and commented on, and both members see it at once', async (t) => {
  const { page } = await put('drafts/news.md', '# Good news\n\nHello @Grace Hopper.\n')
  await ada.goto(page)
  await button(ada, 'Publish').click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await ada.waitForURL(/\/posts\/.*good-news$/)
  t.equal(
    workroom.workspace.inbox.mentions.unread({ member: grace.member, keyId: 'none', scopes: new Set(['*']) })
      .length,
    1,
  )
  await phone.goto(new URL(ada.url()).pathname)
  await workroom.eventually(
    () =>
      workroom.workspace.inbox.mentions.unread({
        member: grace.member,
        keyId: 'none',
        scopes: new Set(['*']),
      }).length === 0,
  )
  await ada.getByLabel('Your comment').fill('What do you **think**?')
  await button(ada, 'Comment').click()
  await phone.getByText('think', { exact: true }).waitFor()
  await workroom.eventually(async () => (await ada.getByLabel('Your comment').inputValue()) === '')
  await ada.getByLabel('Your comment').fill('Half a thought')
  await phone.getByText('Reply to Ada').click()
  await phone.getByLabel('Your reply').fill('Very good')
  await button(phone, 'Reply').click()
  await ada.locator('.replies').getByText('Very good').waitFor()
  t.equal(await ada.getByLabel('Your comment').inputValue(), 'Half a thought', 'what is being written stays')
  await phone.locator('.reply:not([open])').waitFor()
  await checkAccessibility(t, phone)
  await button(phone, 'Delete').click()
  await phone.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await ada.getByText('Very good').waitFor({ state: 'detached' })
  await button(ada, 'More actions').click()
  await button(ada, 'Pin to the top').click()
  await phone.getByText('Pinned').waitFor()
})

t.test('the author of a draft or comment sees which mentioned members are not notified', async (t) => {
  await workroom.addMember({ name: 'Lookout', type: 'agent' })
  const { page } = await put('drafts/watch.md', '# Night watch\n\nWith @Lookout.\n')
  await ada.goto(page)
  const notice = ada.locator('#unreached')
  await notice.getByText('Lookout is not in the project general').waitFor()
  await button(ada, 'Publish').click()
  const dialog = ada.getByRole('dialog')
  await dialog.getByText('Lookout is not in the project general').waitFor()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await ada.waitForURL(/\/posts\/.*night-watch$/)
  await notice.getByText('Some members mentioned in this post were not notified').waitFor()
  const warning = ada.locator('.say .unreached')
  await ada.getByLabel('Your comment').fill('And @Lookout?')
  await warning.first().getByText('Lookout is not in the project general').waitFor()
  await button(ada, 'Comment').click()
  await ada.getByRole('alert').getByText('Sent, but some mentioned members').waitFor()
  t.equal(await ada.getByLabel('Your comment').inputValue(), '')
  await checkAccessibility(t, ada)
})

t.test('the comment being read does not move when one above it is added or removed', async (t) => {
  const { id, page } = await put('posts/much-said.md', '# Much said\n\nAbout this.\n')
  const comments = `/v1/posts/${id}/comments`
  const say = async (body: string, parentId?: string): Promise<string> => {
    const { json } = await workroom.request('POST', comments, {
      key: grace.key,
      body: { body, ...(parentId && { parentId }) },
    })
    return json.comment._id
  }
  const first = await say('Said 0.')
  for (let n = 1; n < 16; n++) await say(`Said ${n}.\n\n${paragraphs(n, n + 1)}`)
  await ada.goto(page)
  // Not every browser has scroll anchoring.
  await ada.evaluate('document.body.style.overflowAnchor = "none"')
  await ada.getByText('Said 12.').evaluate((comment) => comment.scrollIntoView({ block: 'center' }))
  const before = await topOf(ada, 'Said 12.')
  const stays = async (why: string) => t.ok(Math.abs((await topOf(ada, 'Said 12.')) - before) <= 2, why)
  const reply = await say(`Replied.\n\n${paragraphs(50, 54)}`, first)
  await ada.locator('.replies').getByText('Replied.').waitFor({ state: 'attached' })
  await stays('a reply to the first comment')
  await workroom.request('DELETE', `${comments}/${reply}`, { key: grace.key })
  await ada.getByText('Replied.').waitFor({ state: 'detached' })
  await stays('the reply is deleted')
})

t.test('an open list follows files that appear and vanish', async () => {
  await phone.goto('/projects/general/docs')
  workroom.write('documents/corner/from-the-disk.md', '# From the disk\n')
  await phone.getByRole('link', { name: 'From the disk' }).waitFor()
  rmSync(workroom.at('documents/corner/from-the-disk.md'))
  await workroom.passDeletionDelay()
  await phone.getByRole('link', { name: 'From the disk' }).waitFor({ state: 'detached' })
})
