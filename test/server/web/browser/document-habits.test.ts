import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t)
const ada = await browser.openPageAs(workroom, workroom.owner)
const phone = await browser.openPageAs(workroom, workroom.owner, { window: 'phone', colorScheme: 'dark' })
const tree = '/v1/fs/projects/general'
const put = async (path: string, body: string) =>
  new URL((await workroom.request('PUT', `${tree}/${path}`, { body })).json.url).pathname
const onDisk = (path: string) => readFileSync(workroom.at(path), 'utf8')
const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
const lines = (page: Page) =>
  page.evaluate<string[]>('[...document.querySelectorAll(".cm-line")].map((line) => line.textContent)')

const fits = async (page: Page) =>
  (await page.evaluate<number>('document.documentElement.scrollWidth')) === page.viewportSize()!.width

async function press(page: Page, line: number, keys: string): Promise<string[]> {
  await text(page).click()
  await page.keyboard.press('Control+Home')
  for (let at = 1; at < line; at++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press(keys)
  return (await lines(page)).slice(2)
}

for (const [window, person] of [
  ['laptop', ada],
  ['phone', phone],
] as const) {
  t.test(
    `on a ${window} Tab and Shift+Tab nest and unnest a list item, and after Escape Tab leaves the text`,
    async (t) => {
      const page = await put(
        `docs/list-${window}.md`,
        `# List ${window}\n\n- one\n- two\n  - under two\n- three\n\n1. first\n2. second\n\nText.`,
      )
      await person.goto(`${page}?edit`)
      await text(person).waitFor()
      const numbered = ['', '1. first', '2. second', '', 'Text.']
      const nested = ['- one', '  - two', '    - under two', '- three', ...numbered]
      t.same(await press(person, 4, 'Tab'), nested)
      t.same(await press(person, 4, 'Tab'), nested, 'an item is nested below the one above it, no deeper')
      t.same(await press(person, 4, 'Shift+Tab'), ['- one', '- two', '  - under two', '- three', ...numbered])
      t.same((await press(person, 9, 'Tab')).slice(5, 7), ['1. first', '   2. second'])
      await press(person, 4, 'Tab')
      await person.keyboard.press('Control+z')
      t.equal((await lines(person))[3], '- two', 'undo reverts it as one change')

      const isInText = () => person.evaluate<boolean>('document.activeElement.matches(".cm-content")')
      await press(person, 4, 'End')
      await person.keyboard.press('Tab')
      t.ok(await isInText())
      await person.keyboard.press('Escape')
      await person.keyboard.press('Tab')
      t.notOk(await isInText(), 'after Escape, Tab moves the focus')
      await press(person, 11, 'End')
      await person.keyboard.press('Tab')
      t.notOk(await isInText(), 'outside of a list Tab moves the focus')
      await person.keyboard.press('Control+s')
      await person
        .getByRole('status')
        .getByText(/^Saved at/)
        .waitFor()
    },
  )

  t.test(
    `on a ${window} the address that a new document was written to leads to the page of its title`,
    async (t) => {
      const writtenTo = `docs/long-${window}`
      const page = await put(`${writtenTo}.md`, `# Tides of a ${window}\n\nHigh water.\n`)
      t.equal(page, `/projects/general/docs/tides-of-a-${window}`)
      for (const address of [writtenTo, `${writtenTo}.md`]) {
        const response = await person.goto(`/projects/general/${address}`)
        t.equal(response!.status(), 200, address)
        await person.waitForURL(page)
        await person.getByText('High water.').waitFor()
      }
      await put(`${writtenTo}.md`, `# Tides of a ${window}\n\nLow water.\n`)
      await person.getByText('Low water.').waitFor()
    },
  )

  t.test(
    `on a ${window} a title of more than 200 characters is cut, the text keeps all of it, and both fit`,
    async (t) => {
      const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
      for (const [title, cut] of [
        [words(60), words(40)],
        ['x'.repeat(300), 'x'.repeat(200)],
      ] as const) {
        const page = await put(`docs/heading-${window}.md`, `# ${title}\n\nBelow it.\n`)
        await person.goto(page)
        await person.getByText('Below it.').waitFor()
        t.equal(await person.title(), `${cut} · General · Testers`)
        t.equal(await person.getByRole('heading', { level: 1 }).innerText(), title)
        t.ok(await fits(person), 'the page')
        await person.goto('/projects/general/docs')
        t.equal(await person.locator(`#list a[href="${page}"]`).innerText(), cut)
        t.ok(await fits(person), 'the list')
      }
    },
  )
}

t.test('a document is renamed and moved in a dialog, at laptop and phone size', async (t) => {
  await put('docs/guides/other.md', '# Other\n')
  for (const [person, name] of [
    [ada, 'one'],
    [phone, 'two'],
  ] as const) {
    const address = await put(`docs/${name}.md`, `# Draft *${name}*\n\nText.\n`)
    await person.goto(address)
    await person.getByRole('button', { name: 'More actions' }).click()
    await person.getByRole('button', { name: 'Rename or move' }).click()
    const dialog = person.getByRole('dialog', { name: 'Rename or move' })
    t.equal(await dialog.getByLabel('Title').inputValue(), `Draft *${name}*`)
    await person.locator('#rename-folders option').first().waitFor({ state: 'attached' })
    await checkAccessibility(t, person)
    await dialog.getByLabel('Title').fill(`Plan ${name}`)
    await dialog.getByLabel('Folder').fill('../out')
    await dialog.getByRole('button', { name: 'Save' }).click()
    browser.expectError(person, /status of 422/)
    await dialog
      .getByRole('alert')
      .getByText(/folder cannot be named/)
      .waitFor()
    await dialog.getByLabel('Folder').fill('guides')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await person.waitForURL(`/projects/general/docs/guides/plan-${name}`)
    await person.getByRole('heading', { name: `Plan ${name}` }).waitFor()
    t.equal(onDisk(`documents/guides/plan-${name}.md`), `# Plan ${name}\n\nText.\n`)
    await workroom.request('PATCH', `${tree}/docs/guides/plan-${name}.md`, {
      body: { edits: [{ append: 'More.\n' }] },
    })
    await person.getByText(`Renamed to “Plan ${name}”.`).waitFor()
    await person.getByRole('button', { name: 'Undo' }).click()
    await person.getByRole('heading', { name: `Draft ${name}` }).waitFor()
    await person.waitForURL(address)
    t.equal(onDisk(`documents/draft-${name}.md`), `# Draft *${name}*\n\nText.\nMore.\n`)
  }
})

t.test(
  'a document is dragged into a folder and out of it, and a key and a button undo the move',
  async (t) => {
    await put('docs/charts/other.md', '# Other chart\n')
    await put('docs/top.md', '# At the top\n')
    await put('docs/buoys.md', '# Buoys\n\nRed.\n')
    for (const person of [ada, phone]) {
      await person.goto('/projects/general/docs')
      const row = (folder: string) =>
        person.locator(
          `:is([data-folder="${folder}"], [data-folder="${folder}"] > details) > ul > [data-title="Buoys"]`,
        )
      const charts = person.locator('.folder[data-folder="charts"]')
      await row('').and(person.locator('[draggable="true"]')).waitFor()
      await row('').getByRole('link').dragTo(charts.locator('summary'))
      await row('charts').waitFor()
      t.equal(onDisk('documents/charts/buoys.md'), '# Buoys\n\nRed.\n')
      await person.getByText('“Buoys” moved to charts.').waitFor()
      await checkAccessibility(t, person)
      await person.keyboard.press('Control+z')
      await row('').waitFor()
      t.equal(onDisk('documents/buoys.md'), '# Buoys\n\nRed.\n')
      await row('').dragTo(charts.locator('summary'))
      await row('charts').dragTo(person.locator('[data-title="At the top"]'))
      await row('').waitFor()
      await person.getByText('“Buoys” moved to the top level.').waitFor()
      await person.getByRole('button', { name: 'Undo' }).click()
      await row('charts').waitFor()
      await row('charts').dragTo(person.locator('[data-title="At the top"]'))
      await row('').waitFor()
    }
  },
)
