import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t)
const { owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const tree = '/v1/fs/projects/general'
const text = '# Tides\n\nHigh water is at six.\n\n## Low water\n\nNobody knows.\n\n- one\n- two\n'
const put = async (path: string) =>
  new URL((await request('PUT', `${tree}/${path}`, { body: text })).json.url).pathname
const comments = (page: Page) => page.getByRole('region', { name: 'Comments' })
const mark = (page: Page) => page.getByRole('link', { name: /comments? on this block/ })
const isInWindow = (page: Page, selector: string) =>
  page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })()`)

for (const [window, path] of [
  ['laptop', 'docs/tides.md'],
  ['phone', 'board/02-todo/tides.md'],
] as const) {
  t.test(`a reader comments on a block beside it, on a ${window}`, async (t) => {
    const at = await put(path)
    const [ada, other] = [
      await browser.openPageAs(workroom, owner, { window }),
      await browser.openPageAs(workroom, grace),
    ]
    await Promise.all([ada.goto(at), other.goto(at)])
    // The script of the page shows this button when it has started.
    await ada.locator('[data-copy-link]:not([hidden])').waitFor({ state: 'attached' })
    const block = ada.locator('#prose > p', { hasText: 'High water' })
    if (window === 'phone') await block.tap()
    else await block.hover()
    const link = ada.locator('#comment-link')
    if (window === 'phone') await link.tap()
    else await link.click()
    t.match(await ada.locator('#comment-about').innerText(), 'High water is at six.')
    await ada.keyboard.type('At seven?')
    await checkAccessibility(t, ada)
    await comments(ada).getByRole('button', { name: 'Comment', exact: true }).click()
    for (const page of [ada, other])
      await page.getByRole('link', { name: '1 comment on this block' }).waitFor()
    t.match(
      await ada.locator('#comment-about').innerText(),
      'On the whole text.',
      'the next comment is on the whole text',
    )
    await mark(ada).click()
    await ada.waitForURL(/#cmt_/)
    t.ok(await isInWindow(ada, '.comment:target > article'))
    await comments(ada).getByRole('link', { name: 'High water is at six.' }).click()
    await ada.waitForURL(/#at-k/)
    t.ok(await isInWindow(ada, '.block-comments:target'))
    await checkAccessibility(t, ada)

    await comments(other).locator('summary', { hasText: 'Reply' }).click()
    await other.getByLabel('Your reply').fill('Yes.')
    await comments(other).getByRole('button', { name: 'Reply' }).click()
    await ada.getByRole('link', { name: '2 comments on this block' }).waitFor()
    const { json } = await request('GET', `${tree}/${path}?view=blocks`)
    const { id } = json.blocks.find((one: { text: string }) => one.text.startsWith('High water'))
    await request('PUT', `${json.canonical}?block=${id}`, { body: 'High water is at seven.' })
    await ada.locator('.block-comments + p', { hasText: 'at seven' }).waitFor()
    await request('PUT', json.canonical, { body: text.replace('High water is at six.\n\n', '') })
    await comments(ada).getByText('On a removed paragraph').waitFor()
    t.equal(await mark(ada).count(), 0)
    t.match(await comments(ada).innerText(), 'High water is at six.')
    await Promise.all([ada.context().close(), other.context().close()])
  })
}

t.test('a block is chosen by a link, with the keyboard and without script', async (t) => {
  const at = await put('docs/more.md')
  for (const javaScriptEnabled of [true, false]) {
    const page = await browser.openPageAs(workroom, owner, { javaScriptEnabled })
    await page.goto(at)
    await comments(page).getByRole('link', { name: 'Choose a block' }).press('Enter')
    await page.getByRole('link', { name: 'Comment on: Nobody knows.' }).press('Enter')
    t.match(await page.locator('#comment-about').innerText(), 'Nobody knows.')
    await page.getByLabel('Your comment').fill(`With ${javaScriptEnabled ? 'a' : 'no'} script`)
    await comments(page).getByRole('button', { name: 'Comment', exact: true }).press('Enter')
    await comments(page)
      .getByText(`With ${javaScriptEnabled ? 'a' : 'no'} script`)
      .waitFor()
    if (javaScriptEnabled) await page.context().close()
    else {
      await page.getByRole('link', { name: '2 comments on this block' }).click()
      t.match(page.url(), /\?at=cmt_\w+#cmt_/)
      await comments(page).locator('summary', { hasText: 'Reply' }).first().click()
      await page.getByLabel('Your reply').first().fill('Neither do I.')
      await comments(page).getByRole('button', { name: 'Reply' }).first().click()
      await page.getByRole('link', { name: '3 comments on this block' }).waitFor()
    }
  }
})
