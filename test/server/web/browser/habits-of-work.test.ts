import type { Page, Route } from 'playwright-core'
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
const pages = '/projects/general'

const titlesIn = async (column: string): Promise<string[]> =>
  (await workroom.request('GET', `${tree}/board/${column}`)).json.cards.map(
    ({ title }: { title: string }) => title,
  )
const untilIn = (column: string, ...titles: string[]) =>
  workroom.eventually(async () => (await titlesIn(column)).join() === titles.join())
const textOf = async (path: string): Promise<string> =>
  (await workroom.request('GET', `${tree}/${path}`)).text
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' })

t.test('typing a title below a column and pressing Enter adds a card, again and again', async (t) => {
  for (const page of [ada, phone]) {
    await page.goto(`${pages}/board`)
    const field = page.getByLabel('Add a card to To do')
    await field.fill('Oil the hinges')
    await field.press('Enter')
    await field.fill('Paint the door')
    await field.press('Enter')
    t.equal(await field.inputValue(), '')
    await untilIn('02-todo', 'Oil the hinges', 'Paint the door')
    await page.locator('#column-02-todo .card', { hasText: 'Paint the door' }).waitFor()
    await workroom.eventually(async () => (await page.locator('.pending-card').count()) === 0)
    t.equal(await page.evaluate<string>('document.activeElement.id'), 'quick-title-02-todo')
    await checkAccessibility(t, page)
    const { width } = page.viewportSize()!
    t.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), width)
    const { cards } = (await workroom.request('GET', `${tree}/board/02-todo`)).json
    for (const { path } of cards) await workroom.request('DELETE', path)
  }
})

t.test('the title of a card that could not be created returns to the field', async (t) => {
  for (const page of [ada, phone]) {
    await page.goto(`${pages}/board`)
    const field = page.getByLabel('Add a card to To do')
    browser.expectError(page, /ERR_FAILED/)
    await page.route('**/board/02-todo/new-*', (route) => route.abort(), { times: 1 })
    await field.fill('Kept words')
    await field.press('Enter')
    await page.getByText('The server cannot be reached.').waitFor()
    t.equal(await field.inputValue(), 'Kept words')
    await field.press('Enter')
    await untilIn('02-todo', 'Kept words')
    const { cards } = (await workroom.request('GET', `${tree}/board/02-todo`)).json
    for (const { path } of cards) await workroom.request('DELETE', path)
  }
})

t.test('a move, a deletion and archiving are undone by a button or Ctrl+Z', async (t) => {
  const put = (name: string) =>
    workroom.request('PUT', `${tree}/board/01-triage/${name}.md`, { body: `# ${name}\n\nText.\n` })
  for (const name of ['First', 'Second', 'Third']) await put(name)
  await ada.goto(`${pages}/board`)
  // The script of the board shows the filter when it has started.
  await ada.locator('#board-filter:not([hidden])').waitFor()
  const second = ada.locator('.card', { hasText: 'Second' })
  await second.getByRole('link').focus()
  for (const key of ['Space', 'ArrowRight', 'Space']) await ada.keyboard.press(key)
  await undo(ada).waitFor()
  await checkAccessibility(t, ada)
  await untilIn('01-triage', 'First', 'Third')
  await second.getByRole('link').focus()
  await ada.keyboard.press('Control+z')
  await untilIn('01-triage', 'First', 'Second', 'Third')
  await ada.getByText('Undone.').waitFor()

  await ada.locator('.card', { hasText: 'Third' }).getByRole('link').click()
  await ada.getByRole('button', { name: 'More actions' }).click()
  await ada.getByRole('button', { name: 'Move to trash' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click()
  await ada.waitForURL(`**${pages}/board`)
  await untilIn('01-triage', 'First', 'Second')
  await undo(ada).click()
  await untilIn('01-triage', 'First', 'Second', 'Third')
  await ada.locator('.card', { hasText: 'Third' }).waitFor()

  await ada.goto(`${pages}/settings`)
  await ada.getByRole('button', { name: 'Archive this project' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
  await undo(ada).click()
  await ada.getByRole('button', { name: 'Archive this project' }).waitFor()
})

t.test('on a phone, moves, deletions and archiving are undone by a button or Ctrl+Z', async (t) => {
  const page = await browser.openPageAs(workroom, workroom.owner, { window: 'phone' })
  const put = (path: string) => workroom.request('PUT', `${tree}/${path}`, { body: '# Fourth\n\nText.\n' })
  const columnOf = async () => (await workroom.request('GET', `${tree}/board`)).json.columns
  const before = await columnOf()
  const card = new URL((await put('board/03-in-progress/fourth.md')).json.url).pathname
  await page.goto(card)
  await page.getByLabel('Column').selectOption({ label: 'Done' })
  await untilIn('03-in-progress')
  await undo(page).waitFor()
  await checkAccessibility(t, page)
  await undo(page).tap()
  await untilIn('03-in-progress', 'Fourth')
  await page.locator('.card-topline').getByText('In progress').waitFor()
  await page.getByLabel('Column').selectOption({ label: 'Done' })
  await undo(page).waitFor()
  await page.locator('body').press('Control+z')
  await untilIn('03-in-progress', 'Fourth')
  for (const path of [card, new URL((await put('docs/fourth.md')).json.url).pathname]) {
    await page.goto(path)
    await page.getByRole('button', { name: 'More actions' }).tap()
    await page.getByRole('button', { name: 'Move to trash' }).tap()
    await page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).tap()
    await page.waitForURL(path.replace(/\/[^/]+$/, ''))
    t.equal((await workroom.request('GET', `${tree}/trash`)).json.trash[0].title, 'Fourth')
    await undo(page).tap()
    await page.getByRole('link', { name: 'Fourth' }).waitFor()
  }
  await untilIn('03-in-progress', 'Fourth')
  await workroom.request('DELETE', `${tree}/board/03-in-progress/${card.split('/').at(-1)}`)
  t.same(await columnOf(), before)
  await page.goto(`${pages}/settings`)
  await page.getByRole('button', { name: 'Archive this project' }).tap()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).tap()
  await undo(page).tap()
  await page.getByRole('button', { name: 'Archive this project' }).waitFor()
  await page.context().close()
})

t.test('ticking a box in a document or card changes nothing else of the file', async (t) => {
  const body =
    '# Plan\n\n1. first\n2. [ ] second [x]\n\nText.\n\n- [ ] one\n- [x] two\n  - [ ] three\n\n```\n- [ ] no box\n```\n'
  await workroom.request('PUT', `${tree}/docs/plan.md`, { body })
  await workroom.request('PUT', `${tree}/board/01-triage/boxes.md`, { body: '# Boxes\n\n* [ ] only\n' })
  await ada.goto(`${pages}/docs/plan`)
  const boxes = ada.locator('#prose input[type="checkbox"]')
  await ada.locator('#prose input:enabled').first().waitFor()
  await boxes.nth(1).focus()
  await ada.keyboard.press('Space')
  await boxes.nth(3).click()
  await boxes.nth(0).click()
  const expected = body
    .replace('2. [ ]', '2. [x]')
    .replace('- [ ] one', '- [x] one')
    .replace('- [ ] three', '- [x] three')
  await workroom.eventually(async () =>
    (await textOf('docs/plan.md')).endsWith(expected.slice(expected.indexOf('1. '))),
  )
  await checkAccessibility(t, ada)
  await phone.goto(`${pages}/docs/plan`)
  await phone.locator('#prose input[type="checkbox"]').nth(1).tap()
  await workroom.eventually(async () => (await textOf('docs/plan.md')).includes('\n- [ ] one\n'))
  const { json } = await workroom.request('GET', `${tree}/board/01-triage`)
  const card = json.cards.find(({ title }: { title: string }) => title === 'Boxes')
  await phone.goto(`${pages}/board/${card.number}`)
  await phone.locator('#prose input[type="checkbox"]').tap()
  await workroom.eventually(async () =>
    (await textOf(`board/01-triage/${card.number}`)).includes('* [x] only'),
  )
})

t.test('a box of a list that somebody has changed is not ticked, with a message', async (t) => {
  const put = (items: string) =>
    workroom.request('PUT', `${tree}/docs/shared.md`, { body: `# Shared\n\n${items}\n` })
  for (const page of [ada, phone]) {
    await put('- [ ] one\n- [ ] two')
    await page.goto(`${pages}/docs/shared`)
    const box = page.locator('#prose input[type="checkbox"]').first()
    await page.locator('#prose input:enabled').first().waitFor()
    const change = async (route: Route) => {
      await put('- [ ] zero\n- [ ] one\n- [ ] two')
      await route.continue()
    }
    await page.route('**/shared.md?view=blocks', change)
    await (page === phone ? box.tap() : box.click())
    await page.getByText('Someone else changed this list at the same time. Try again.').waitFor()
    t.notMatch(await textOf('docs/shared.md'), '[x]')
    await page.getByText('zero').waitFor()
    t.notOk(await box.isChecked())
  }
})

t.test('members comment on documents and cards, and edit their own comments', async (t) => {
  await workroom.request('PUT', `${tree}/docs/talked-about.md`, { body: '# Talked about\n\nText.\n' })
  const { json } = await workroom.request('PUT', `${tree}/board/01-triage/talk.md`, { body: '# Talk\n' })
  const { number } = (await workroom.request('GET', `${tree}/board/01-triage`)).json.cards.find(
    ({ id }: { id: string }) => id === json.id,
  )
  for (const [page, path] of [
    [ada, `${pages}/docs/talked-about`],
    [phone, `${pages}/board/${number}`],
  ] as const) {
    await page.goto(path)
    await page.getByLabel('Your comment').fill('Is it @Grace Hopper’s?')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    const comment = page.locator('.comment').first()
    await comment.getByText('Is it @Grace Hopper’s?').waitFor()
    await comment.locator('summary', { hasText: 'Edit' }).click()
    const field = comment.getByRole('textbox', { name: 'Edited text' })
    await workroom.eventually(async () => (await field.inputValue()) === 'Is it @Grace Hopper’s?')
    await field.fill('It is Ada’s.')
    await checkAccessibility(t, page)
    await comment.getByRole('button', { name: 'Save' }).click()
    await comment.getByText('It is Ada’s.').first().waitFor()
    await comment.locator('.byline', { hasText: 'edited' }).waitFor()
  }
})
