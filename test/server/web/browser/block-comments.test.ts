import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t)
const { owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await browser.openPageAs(workroom, owner)
const phone = await browser.openPageAs(workroom, grace, { window: 'phone' })
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

t.test('a reader comments on a block beside it, and others see the comments live', async (t) => {
  const at = await put('docs/tides.md')
  await Promise.all([ada.goto(at), phone.goto(at)])
  await ada.locator('#prose > p', { hasText: 'High water' }).hover()
  await ada.locator('#comment-link').click()
  t.match(await ada.locator('#comment-about').innerText(), 'High water is at six.')
  await ada.keyboard.type('At seven?')
  await checkAccessibility(t, ada)
  await comments(ada).getByRole('button', { name: 'Comment', exact: true }).click()
  for (const page of [ada, phone]) await page.getByRole('link', { name: '1 comment on this block' }).waitFor()
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

  await comments(phone).locator('summary', { hasText: 'Reply' }).click()
  await phone.getByLabel('Your reply').fill('Yes.')
  await comments(phone).getByRole('button', { name: 'Reply' }).click()
  await ada.getByRole('link', { name: '2 comments on this block' }).waitFor()
  const { json } = await request('GET', `${tree}/docs/tides.md?view=blocks`)
  const { id } = json.blocks.find((one: { text: string }) => one.text.startsWith('High water'))
  await request('PUT', `${json.canonical}?block=${id}`, { body: 'High water is at seven.' })
  await ada.locator('.block-comments + p', { hasText: 'at seven' }).waitFor()
  await request('PUT', json.canonical, { body: text.replace('High water is at six.\n\n', '') })
  await comments(ada).getByText('On a removed paragraph').waitFor()
  t.equal(await mark(ada).count(), 0)
  t.match(await comments(ada).innerText(), 'High water is at six.')
})

t.test('on a phone a block of a card is chosen by a tap', async (t) => {
  await phone.goto(await put('board/02-todo/tides.md'))
  await phone.locator('#prose > p', { hasText: 'High water' }).tap()
  await phone.locator('#comment-link').tap()
  t.match(await phone.locator('#comment-about').innerText(), 'High water is at six.')
  await phone.keyboard.type('At seven?')
  await checkAccessibility(t, phone)
  await comments(phone).getByRole('button', { name: 'Comment', exact: true }).tap()
  await phone.getByRole('link', { name: '1 comment on this block' }).tap()
  await phone.waitForURL(/#cmt_/)
  t.ok(await isInWindow(phone, '.comment:target > article'))
  await comments(phone).getByRole('link', { name: 'High water is at six.' }).tap()
  await phone.waitForURL(/#at-k/)
  t.ok(await isInWindow(phone, '.block-comments:target'))
})

t.test('a block is chosen by a link with the keyboard', async (t) => {
  await ada.goto(await put('docs/more.md'))
  await comments(ada).getByRole('link', { name: 'Choose a block' }).press('Enter')
  await ada.getByRole('link', { name: 'Comment on: Nobody knows.' }).press('Enter')
  t.match(await ada.locator('#comment-about').innerText(), 'Nobody knows.')
  await ada.getByLabel('Your comment').fill('I do.')
  await comments(ada).getByRole('button', { name: 'Comment', exact: true }).press('Enter')
  await comments(ada).getByText('I do.').waitFor()
})
