import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkBothWindows } from '../../../support/both-windows.ts'
import {
  button,
  openEditor,
  openEditorPages,
  textbox,
  typeAtEnd,
  waitUntilSaved,
} from '../../../support/editor-pages.ts'
import { holdRequests } from '../../../support/intercepted-requests.ts'
import { ScriptlessBrowser } from '../../../support/scriptless-browser.ts'

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

t.test(
  'conflicting changes, with what is typed while the comparison loads, are shown side by side until one is chosen',
  async (t) => {
    await put('docs/x.md', '# Berths\n\nNorth: 4\n\nSouth: 2\n\nWest: 1\n\nEnd\n')
    await openEditor(ada, '/projects/harbour/edit/docs/berths')
    await textbox(ada).getByText('North: 4').click()
    await ada.keyboard.press('End')
    await ada.keyboard.type('0')
    const script = await holdRequests(ada, '*/comparison-*.js')
    const newer = '# Berths\n\nNorth: 5\n\nSouth: 2\n\nWest: 7\n\nEnd\n'
    await put('docs/berths.md', newer, grace.key)
    await button(ada, 'Merge now').click()
    await script.held
    await typeAtEnd(ada, 'Meanwhile')
    await script.release()
    const theirs = ada.getByRole('textbox', { name: 'Grace’s version' })
    const mine = ada.getByRole('textbox', { name: 'Your version' })
    await theirs.getByText('North: 5').waitFor()
    for (const line of ['North: 40', 'West: 7', 'Meanwhile']) await mine.getByText(line).waitFor()
    await checkBothWindows(t, browser, ada, 'the comparison')
    await button(ada, 'Save merged').click()
    await ada.getByText('Choose your version or theirs first: 1 conflict is left.').waitFor()
    t.equal(readFile('documents/berths.md'), newer, 'nothing is saved without a choice')
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
    t.equal(readFile('documents/berths.md'), '# Berths\n\nNorth: 5\n\nSouth: 20\n\nWest: 7\n\nEnd\nMeanwhile')
  },
)

t.test('a disk edit is not attributed to the owner who is editing', async (t) => {
  await put('docs/x.md', '# Sails\n\nWhite.\n')
  const append = (line: string) =>
    appendFileSync(join(workroom.home, 'projects/harbour/documents/sails.md'), line)
  await openEditor(ada, '/projects/harbour/edit/docs/sails')
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
  t.equal(readFile('documents/sails.md'), '# Sails\n\nWhite. And grey.\n\nRed.\n\nBlue.\n')
})

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
  await put('docs/guides/x.md', '# Gone\n\nText.\n')
  await openEditor(ada, '/projects/harbour/edit/docs/guides/gone')
  await typeAtEnd(ada, 'More.')
  await request('DELETE', `${tree}/docs/guides/gone.md`)
  await ada
    .getByRole('alert')
    .getByText('You deleted this document. Your text is kept in the editor.')
    .waitFor()
  await button(ada, 'Save as new').click()
  await waitUntilSaved(ada)
  t.equal(readFile('documents/guides/gone.md'), '# Gone\n\nText.\nMore.')
})

t.test('a draft published while it is edited can be saved as a new draft', async (t) => {
  await openEditor(ada, '/projects/harbour/new?kind=draft')
  await ada.getByLabel('Title').fill('Soon')
  await typeAtEnd(ada, 'Now.')
  await button(ada, 'Save').click()
  await waitUntilSaved(ada)
  t.match(ada.url(), /\/edit\/drafts\/[\d-]+-soon$/)
  await typeAtEnd(ada, ' More.')
  const [draft] = (await request('GET', `${tree}/drafts`)).json.posts
  await request('POST', `${draft.path}/_publish`)
  await ada.getByText('This draft has been published and can no longer be changed.').waitFor()
  await button(ada, 'Save as a new draft').click()
  await waitUntilSaved(ada)
  const [again] = (await request('GET', `${tree}/drafts`)).json.posts
  t.not(again.id, draft.id)
  t.match((await request('GET', again.path)).text, /\n# Soon\n\nNow\. More\.$/)
})

t.test('a new document is saved in the folder that its address names', async (t) => {
  await openEditor(ada, '/projects/harbour/new?kind=document&folder=guides')
  await ada.getByLabel('Title').fill('Moorings')
  await button(ada, 'Save and close').click()
  await ada.waitForURL('/projects/harbour/docs/guides/moorings')
  t.equal(readFile('documents/guides/moorings.md'), '# Moorings\n\n')
})

t.test('two people edit the home page of a project, and neither loses text', async (t) => {
  const asGrace = await new ScriptlessBrowser(workroom).signIn(grace.key)
  await ada.goto('/projects/harbour')
  await ada.getByRole('link', { name: 'Edit it' }).click()
  await ada.waitForURL('/projects/harbour/edit')
  const words = ada.getByLabel('Purpose, people')
  await words.fill('# Harbour\n\nWhat Ada wrote.\n')
  const save = async (text: string) => {
    const { text: page } = await asGrace.open('/projects/harbour/edit')
    const path = /data-call="PUT ([^"]*)"/.exec(page)![1]!.replaceAll('&amp;', '&')
    const headers = {
      Origin: workroom.url,
      'X-CSRF-Token': await asGrace.csrf(),
      'Content-Type': 'text/markdown',
    }
    t.equal((await asGrace.send('PUT', path, headers, text)).status, 200)
  }
  await save('# Harbour\n\nWhat Grace wrote.\n')
  browser.expectError(ada, /status of 409/)
  await button(ada, 'Save').click()
  await ada.getByRole('alert').getByText('Someone else has changed the home page').waitFor()
  await ada.locator('.saved').getByText('What Grace wrote.').waitFor()
  t.equal(await words.inputValue(), '# Harbour\n\nWhat Ada wrote.\n')
  await words.fill('# Harbour\n\nWhat Ada and Grace wrote.\n')
  await button(ada, 'Save').click()
  await ada.waitForURL('/projects/harbour')
  await ada.getByText('What Ada and Grace wrote.').waitFor()
  t.equal(readFile('README.md'), '# Harbour\n\nWhat Ada and Grace wrote.\n')
  await save('# Harbour\n\nWhat Grace wrote later.\n')
  await ada.getByText('What Grace wrote later.').waitFor()
})

t.test('restoring unsaved text over newer text can be undone', async (t) => {
  await put('docs/x.md', '# Winch\n\nNorth: 4\n')
  const page = await ada.context().newPage()
  await openEditor(page, '/projects/harbour/edit/docs/winch')
  await typeAtEnd(page, 'Not saved')
  await workroom.eventually(() =>
    page.evaluate<boolean>('JSON.stringify(localStorage).includes("Not saved")'),
  )
  await put('docs/winch.md', '# Winch\n\nNorth: 4\nTheirs', grace.key)
  await page.close()
  await openEditor(ada, '/projects/harbour/edit/docs/winch')
  await typeAtEnd(ada, ' and newer')
  await button(ada, 'Restore').click()
  const mine = ada.getByRole('textbox', { name: 'Your version' })
  await mine.getByText('Not saved').waitFor()
  await button(ada, 'Back to editing').click()
  await textbox(ada).getByText('Not saved').waitFor()
  await ada.keyboard.press('Control+z')
  await textbox(ada).getByText('Theirs and newer').waitFor()
  t.equal(await textbox(ada).getByText('Not saved').count(), 0)
  await button(ada, 'Save').click()
  await waitUntilSaved(ada)
  t.equal(readFile('documents/winch.md'), '# Winch\n\nNorth: 4\nTheirs and newer')
})
