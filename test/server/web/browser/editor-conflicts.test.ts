import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import {
  button,
  delayRequests,
  openEditor,
  openEditorPages,
  textbox,
  typeAtEnd,
  waitUntilSaved,
} from '../../../support/editor-pages.ts'

const { personWithoutSockets, browser, grace, readFile, put, tree, workroom } = await openEditorPages(t)
const { owner, request } = workroom
const ada = await personWithoutSockets(workroom, owner)

t.test('changes of two people that do not touch are merged, and saved over the newer revision', async (t) => {
  await put('docs/x.md', '# Crew\n\nOne\n\nTwo\n\nThree\n')
  await openEditor(ada, '/projects/harbour/edit/docs/crew')
  await typeAtEnd(ada, 'Four')
  await put('docs/crew.md', '# Crew\n\nOne and a half\n\nTwo\n\nThree\n', grace.key)
  await ada.getByText('Grace changed this document while you were editing.').waitFor()
  await button(ada, 'Keep editing').click()
  browser.expectError(ada, /status of 409/)
  await ada.keyboard.press('Control+s')
  await ada
    .getByText(/Grace changed this document while you were editing\. Your changes and theirs were merged/)
    .waitFor()
  await button(ada, 'Save merged').click()
  await waitUntilSaved(ada)
  t.equal(readFile('documents/crew.md'), '# Crew\n\nOne and a half\n\nTwo\n\nThree\nFour')
})

t.test('conflicting changes are shown side by side until a version is chosen', async (t) => {
  await put('docs/x.md', '# Berths\n\nNorth: 4\n\nSouth: 2\n\nWest: 1\n')
  await openEditor(ada, '/projects/harbour/edit/docs/berths')
  await textbox(ada).getByText('North: 4').click()
  await ada.keyboard.press('End')
  await ada.keyboard.type('0')
  await put('docs/berths.md', '# Berths\n\nNorth: 5\n\nSouth: 2\n\nWest: 7\n', grace.key)
  await button(ada, 'Merge now').click()
  const theirs = ada.getByRole('textbox', { name: 'Grace’s version' })
  const mine = ada.getByRole('textbox', { name: 'Your version' })
  await theirs.getByText('North: 5').waitFor()
  await mine.getByText('North: 40').waitFor()
  await mine.getByText('West: 7').waitFor()
  await checkAccessibility(t, ada)
  const take = button(ada, 'Use theirs')
  t.equal(await take.count(), 1, 'only conflicting lines need a choice')
  await take.focus()
  await ada.keyboard.press('Enter')
  await mine.getByText('North: 5').waitFor()
  await mine.getByText('South: 2').click()
  await ada.keyboard.press('End')
  await ada.keyboard.type('0')
  await button(ada, 'Save merged').click()
  await waitUntilSaved(ada)
  t.equal(readFile('documents/berths.md'), '# Berths\n\nNorth: 5\n\nSouth: 20\n\nWest: 7\n')
})

for (const window of ['phone', 'laptop'] as const) {
  t.test(`a disk edit is not attributed to the owner who is editing, on a ${window}`, async (t) => {
    await browser.resize(ada, window)
    const name = `sails-${window}`
    await put('docs/x.md', `# Sails ${window}\n\nWhite.\n`)
    const append = (line: string) =>
      appendFileSync(join(workroom.home, `projects/harbour/documents/${name}.md`), line)
    await openEditor(ada, `/projects/harbour/edit/docs/${name}`)
    append('\nRed.\n')
    await ada
      .getByRole('status')
      .getByText('Someone with access to the disk changed this document just now')
      .waitFor()
    await textbox(ada).getByText('White.').click()
    await ada.keyboard.press('End')
    await ada.keyboard.type(' And grey.')
    append('\nBlue.\n')
    await ada
      .getByText('Someone with access to the disk changed this document while you were editing.')
      .waitFor()
    t.equal(await ada.getByText('You changed').count(), 0)
    await button(ada, 'Merge now').click()
    await ada.getByText('Someone changed this document while you were editing.').waitFor()
    await button(ada, 'Save merged').click()
    await waitUntilSaved(ada)
    t.equal(readFile(`documents/${name}.md`), `# Sails ${window}\n\nWhite. And grey.\n\nRed.\n\nBlue.\n`)
  })
}

t.test('a change by somebody else is shown at once if nothing is unsaved', async (t) => {
  await put('docs/x.md', '# Log\n\nQuiet.\n')
  await openEditor(ada, '/projects/harbour/edit/docs/log')
  await put('docs/log.md', '# Captain’s log\n\nStorm.\n', grace.key)
  await textbox(ada).getByText('Storm.').waitFor()
  await ada.getByText('Grace changed this document just now').waitFor()
  await ada.getByRole('heading', { name: 'Captain’s log', level: 1, exact: true }).first().waitFor()
  await ada.waitForURL('/projects/harbour/edit/docs/captain-s-log')
  t.strictSame(await textbox(ada).locator('.cm-line').allTextContents(), [
    '# Captain’s log',
    '',
    'Storm.',
    '',
  ])
})

t.test('a document deleted while it is edited can be saved as a new one', async (t) => {
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await put('docs/guides/x.md', '# Gone\n\nText.\n')
  await openEditor(page, '/projects/harbour/edit/docs/guides/gone')
  await typeAtEnd(page, 'More.')
  await request('DELETE', `${tree}/docs/guides/gone.md`)
  await page
    .getByRole('alert')
    .getByText('You deleted this document. Your text is kept in the editor.')
    .waitFor()
  await button(page, 'Save as new').click()
  await waitUntilSaved(page)
  t.equal(readFile('documents/guides/gone.md'), '# Gone\n\nText.\nMore.')
})

t.test('a draft published while it is edited can be saved as a new draft', async (t) => {
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/new?kind=draft')
  await page.getByLabel('Title').fill('Soon')
  await typeAtEnd(page, 'Now.')
  await button(page, 'Save').click()
  await waitUntilSaved(page)
  t.match(page.url(), /\/edit\/drafts\/[\d-]+-soon$/)
  await typeAtEnd(page, ' More.')
  const [draft] = (await request('GET', `${tree}/drafts`)).json.posts
  await request('POST', `${draft.path}/_publish`)
  await page.getByText('This draft has been published and can no longer be changed.').waitFor()
  await button(page, 'Save as a new draft').click()
  await waitUntilSaved(page)
  const [again] = (await request('GET', `${tree}/drafts`)).json.posts
  t.not(again.id, draft.id)
  t.match((await request('GET', again.path)).text, /\n# Soon\n\nNow\. More\.$/)
  await openEditor(page, '/projects/harbour/new?kind=document&folder=guides')
  await request('DELETE', again.path)
  await page.getByLabel('Title').fill('Moorings')
  await button(page, 'Save and close').click()
  await page.waitForURL('/projects/harbour/docs/guides/moorings')
})

for (const window of ['phone', 'laptop'] as const) {
  t.test(
    `on a ${window} text typed while the comparison loads is in it, and nothing is saved without a choice`,
    async (t) => {
      const name = `lamps-of-the-${window}`
      const title = `# Lamps of the ${window}`
      await put('docs/x.md', `${title}\n\nNorth: 4\n\nEnd\n`)
      const page = await personWithoutSockets(workroom, owner, { window })
      t.teardown(() => page.context().close())
      await openEditor(page, `/projects/harbour/edit/docs/${name}`)
      await textbox(page).getByText('North: 4').click()
      await page.keyboard.press('End')
      await page.keyboard.type('0')
      const line = await delayRequests(page, /comparison-\w+\.js$/)
      await put(`docs/${name}.md`, `${title}\n\nNorth: 5\n\nEnd\n`, grace.key)
      await button(page, 'Merge now').click()
      await line.held
      await typeAtEnd(page, 'Written meanwhile')
      await line.end()
      await page.getByRole('textbox', { name: 'Your version' }).getByText('Written meanwhile').waitFor()
      await button(page, 'Save merged').click()
      await page.getByText('Choose your version or theirs first: 1 conflict is left.').waitFor()
      const theirs = `${title}\n\nNorth: 5\n\nEnd\n`
      t.equal(readFile(`documents/${name}.md`), theirs, 'nothing is saved without a choice')
      await button(page, 'Keep mine').click()
      await button(page, 'Save merged').click()
      await waitUntilSaved(page)
      t.equal(readFile(`documents/${name}.md`), `${title}\n\nNorth: 40\n\nEnd\nWritten meanwhile`)
    },
  )
}

t.test('two people edit the home page of a project, and neither loses text', async (t) => {
  const page = await personWithoutSockets(workroom, owner)
  const other = await personWithoutSockets(workroom, grace)
  t.teardown(() => Promise.all([page, other].map((one) => one.context().close())))
  await page.goto('/projects/harbour')
  await page.getByRole('link', { name: 'Edit it' }).click()
  await page.waitForURL('/projects/harbour/edit')
  await other.goto('/projects/harbour/edit')
  const words = (one: Page) => one.getByLabel('Purpose, people')
  await words(page).fill('# Harbour\n\nWhat Ada wrote.\n')
  await words(other).fill('# Harbour\n\nWhat Grace wrote.\n')
  await button(page, 'Save').click()
  await page.waitForURL('/projects/harbour')
  await page.getByText('What Ada wrote.').waitFor()
  browser.expectError(other, /status of 409/)
  await button(other, 'Save').click()
  await other.getByRole('alert').getByText('Someone else has changed the home page').waitFor()
  await other.locator('.saved').getByText('What Ada wrote.').waitFor()
  t.equal(await words(other).inputValue(), '# Harbour\n\nWhat Grace wrote.\n')
  await words(other).fill('# Harbour\n\nWhat Ada and Grace wrote.\n')
  await button(other, 'Save').click()
  await other.waitForURL('/projects/harbour')
  await page.getByText('What Ada and Grace wrote.').waitFor()
  t.equal(readFile('README.md'), '# Harbour\n\nWhat Ada and Grace wrote.\n')
})

t.test('restoring unsaved text over newer text can be undone', async (t) => {
  await put('docs/x.md', '# Winch\n\nNorth: 4\n')
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/edit/docs/winch')
  await typeAtEnd(page, 'Not saved')
  await workroom.eventually(() =>
    page.evaluate<boolean>('JSON.stringify(localStorage).includes("Not saved")'),
  )
  await put('docs/winch.md', '# Winch\n\nNorth: 4\nTheirs', grace.key)
  browser.expectError(page, /A dialog says: /)
  const asked = page.waitForEvent('dialog')
  void page.close({ runBeforeUnload: true })
  await asked
  const again = await page.context().newPage()
  await openEditor(again, '/projects/harbour/edit/docs/winch')
  await typeAtEnd(again, ' and newer')
  await button(again, 'Restore').click()
  const mine = again.getByRole('textbox', { name: 'Your version' })
  await mine.getByText('Not saved').waitFor()
  await button(again, 'Back to editing').click()
  await textbox(again).getByText('Not saved').waitFor()
  await again.keyboard.press('Control+z')
  await textbox(again).getByText('Theirs and newer').waitFor()
  t.equal(await textbox(again).getByText('Not saved').count(), 0)
  await button(again, 'Save').click()
  await waitUntilSaved(again)
  t.equal(readFile('documents/winch.md'), '# Winch\n\nNorth: 4\nTheirs and newer')
})
