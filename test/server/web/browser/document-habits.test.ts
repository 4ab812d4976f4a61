import { readFileSync } from 'node:fs'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { overflowWidth } from '../../../support/page-structure.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t)
const page = await browser.openPageAs(workroom, workroom.owner)
const tree = '/v1/fs/projects/general'
const put = async (path: string, body: string) =>
  new URL((await workroom.request('PUT', `${tree}/${path}`, { body })).json.url).pathname
const onDisk = (path: string) => readFileSync(workroom.at(path), 'utf8')

t.test('Tab and Shift+Tab nest and unnest a list item, and after Escape Tab leaves the text', async (t) => {
  const address = await put(
    'docs/list.md',
    '# List\n\n- one\n- two\n  - under two\n- three\n\n1. first\n2. second\n\nText.',
  )
  const text = page.getByRole('textbox', { name: 'Text' })
  await page.goto(`${address}?edit`)
  await text.click()
  const lines = () =>
    page.evaluate<string[]>('[...document.querySelectorAll(".cm-line")].map((line) => line.textContent)')
  const goTo = async (line: number) => {
    await page.keyboard.press('Control+Home')
    for (let at = 1; at < line; at++) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
  }
  const press = async (line: number, keys: string) => {
    await goTo(line)
    await page.keyboard.press(keys)
    return (await lines()).slice(2)
  }
  const numbered = ['', '1. first', '2. second', '', 'Text.']
  const nested = ['- one', '  - two', '    - under two', '- three', ...numbered]
  t.same(await press(4, 'Tab'), nested)
  t.same(await press(4, 'Tab'), nested, 'an item is nested below the one above it, no deeper')
  t.same(await press(4, 'Shift+Tab'), ['- one', '- two', '  - under two', '- three', ...numbered])
  t.same((await press(9, 'Tab')).slice(5, 7), ['1. first', '   2. second'])
  await press(4, 'Tab')
  await page.keyboard.press('Control+z')
  t.equal((await lines())[3], '- two', 'undo reverts it as one change')

  const isInText = () => page.evaluate<boolean>('document.activeElement.matches(".cm-content")')
  await press(4, 'Tab')
  t.ok(await isInText())
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  t.notOk(await isInText(), 'after Escape, Tab moves the focus')
  await text.focus()
  await press(11, 'Tab')
  t.notOk(await isInText(), 'outside of a list Tab moves the focus')
  await page.keyboard.press('Control+s')
  await page
    .getByRole('status')
    .getByText(/^Saved at/)
    .waitFor()
})

t.test('a long title without a space fits the page and the list, on a laptop and on a phone', async (t) => {
  const address = await put('docs/heading.md', `# ${'x'.repeat(300)}\n\nBelow it.\n`)
  for (const shownOn of [address, '/projects/general/docs']) {
    await page.goto(shownOn)
    t.ok((await overflowWidth(page)) <= 0, `${shownOn} on a laptop`)
    await browser.resize(page, 'phone')
    t.ok((await overflowWidth(page)) <= 0, `${shownOn} on a phone`)
    await browser.resize(page, 'laptop')
  }
})

t.test('a document is renamed and moved in a dialog', async (t) => {
  await put('docs/guides/other.md', '# Other\n')
  const address = await put('docs/one.md', '# Draft *one*\n\nText.\n')
  await page.goto(address)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Rename or move' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rename or move' })
  t.equal(await dialog.getByLabel('Title').inputValue(), 'Draft *one*')
  await page.locator('#rename-folders option').first().waitFor({ state: 'attached' })
  await dialog.getByLabel('Title').fill('Plan one')
  await dialog.getByLabel('Folder').fill('../out')
  await dialog.getByRole('button', { name: 'Save' }).click()
  browser.expectError(page, /status of 422/)
  await dialog
    .getByRole('alert')
    .getByText(/folder cannot be named/)
    .waitFor()
  await checkAccessibility(t, page)
  await dialog.getByLabel('Folder').fill('guides')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('/projects/general/docs/guides/plan-one')
  await page.getByRole('heading', { name: 'Plan one' }).waitFor()
  t.equal(onDisk('documents/guides/plan-one.md'), '# Plan one\n\nText.\n')
  await workroom.request('PATCH', `${tree}/docs/guides/plan-one.md`, {
    body: { edits: [{ append: 'More.\n' }] },
  })
  await page.getByText('Renamed to “Plan one”.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Draft one' }).waitFor()
  await page.waitForURL(address)
  t.equal(onDisk('documents/draft-one.md'), '# Draft *one*\n\nText.\nMore.\n')
})

t.test(
  'a document is dragged into a folder and out of it, and a key and a button undo the move',
  async (t) => {
    await put('docs/charts/other.md', '# Other chart\n')
    await put('docs/top.md', '# At the top\n')
    await put('docs/buoys.md', '# Buoys\n\nRed.\n')
    await page.goto('/projects/general/docs')
    const row = (folder: string) =>
      page.locator(
        `:is([data-folder="${folder}"], [data-folder="${folder}"] > details) > ul > [data-title="Buoys"]`,
      )
    const charts = page.locator('.folder[data-folder="charts"]')
    await row('').and(page.locator('[draggable="true"]')).waitFor()
    await row('').getByRole('link').dragTo(charts.locator('summary'))
    await row('charts').waitFor()
    t.equal(onDisk('documents/charts/buoys.md'), '# Buoys\n\nRed.\n')
    await page.getByText('“Buoys” moved to charts.').waitFor()
    await checkAccessibility(t, page)
    await page.keyboard.press('Control+z')
    await row('').waitFor()
    t.equal(onDisk('documents/buoys.md'), '# Buoys\n\nRed.\n')
    await row('').dragTo(charts.locator('summary'))
    await row('charts').dragTo(page.locator('[data-title="At the top"]'))
    await row('').waitFor()
    await page.getByText('“Buoys” moved to the top level.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('charts').waitFor()
  },
)

t.test('a document’s link is copied, or the page says that the browser refused', async (t) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(await put('docs/bell.md', '# Bell\n'))
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.locator('#said').getByText('Link copied.').waitFor()
  t.equal(await page.evaluate<string>('navigator.clipboard.readText()'), page.url())
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())')
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.locator('#said').getByText('Your browser blocked copying.').waitFor()
})
