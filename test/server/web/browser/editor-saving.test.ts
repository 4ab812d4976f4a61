import type { Page } from 'playwright-core'
import t from 'tap'
import {
  button,
  openEditor,
  openEditorPages,
  textbox,
  typeAtEnd,
  waitUntilSaved,
} from '../../../support/editor-pages.ts'
import { holdRequests, interceptRequests } from '../../../support/intercepted-requests.ts'

const { personWithoutSockets, browser, grace, readFile, put, workroom } = await openEditorPages(t)
const { owner, workspace } = workroom
const ada = await personWithoutSockets(workroom, owner)
/** Another page of the same browser. */
const newPage = () => ada.context().newPage()
const saves = '*/documents/*.md'

const waitUntilKept = (page: Page, words: string) =>
  workroom.eventually(() => page.evaluate<boolean>(`JSON.stringify(localStorage).includes("${words}")`))

t.test('a page with unsaved text asks before it is closed, and the text can be restored', async (t) => {
  await put('docs/x.md', '# Crash\n\nSafe.\n')
  const page = await newPage()
  t.teardown(() => page.close())
  await openEditor(page, '/projects/harbour/edit/docs/crash')
  await typeAtEnd(page, 'Not saved.')
  await waitUntilKept(page, 'Not saved.')
  browser.expectError(page, /A dialog says: /)
  const asked = page.waitForEvent('dialog')
  void page.close({ runBeforeUnload: true })
  t.equal((await asked).type(), 'beforeunload')
  const again = await newPage()
  t.teardown(() => again.close())
  await openEditor(again, '/projects/harbour/edit/docs/crash')
  await put('docs/crash.md', '# Crash\n\nSound.\n\nSafe.\n', grace.key)
  await textbox(again).getByText('Sound.').waitFor()
  await button(again, 'Restore').click()
  await textbox(again).getByText('Not saved.').waitFor()
  await textbox(again).getByText('Sound.').waitFor()
})

t.test('restoring unsaved changes asks before it replaces a title typed since', async (t) => {
  const page = await newPage()
  await openEditor(page, '/projects/harbour/new?kind=document')
  await page.getByLabel('Title').fill('Before the crash')
  await typeAtEnd(page, 'Lost.')
  await waitUntilKept(page, 'Lost.')
  await page.close()
  const again = await newPage()
  t.teardown(() => again.close())
  await openEditor(again, '/projects/harbour/new?kind=document')
  await button(again, 'Restore').waitFor()
  await again.getByLabel('Title', { exact: true }).fill('Since then')
  await button(again, 'Restore').click()
  await again.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  t.equal(await again.getByLabel('Title', { exact: true }).inputValue(), 'Since then')
  await button(again, 'Restore').click()
  await again.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await textbox(again).getByText('Lost.').waitFor()
  t.equal(await again.getByLabel('Title', { exact: true }).inputValue(), 'Before the crash')
})

t.test('a member signed out while editing gets the text back after signing in', async (t) => {
  const linus = await workroom.addMember({ name: 'Linus', type: 'human' }, 'harbour')
  const page = await personWithoutSockets(workroom, linus)
  t.teardown(() => page.context().close())
  await put('docs/x.md', '# Signed out\n\nBefore.\n')
  await openEditor(page, '/projects/harbour/edit/docs/signed-out')
  await typeAtEnd(page, 'Mine.')
  browser.expectError(page, /status of 401/)
  await workspace.signin.sessions.endAll(linus.member)
  await page.keyboard.press('Control+s')
  await page.getByLabel('Your key').fill(linus.key)
  await page.keyboard.press('Enter')
  await page.waitForURL('/projects/harbour/edit/docs/signed-out')
  await textbox(page).getByText('Mine.').waitFor()
  await page.keyboard.press('Control+s')
  await waitUntilSaved(page)
  t.equal(readFile('documents/signed-out.md'), '# Signed out\n\nBefore.\nMine.')
})

t.test(
  'text typed during a save is saved before Save and close leaves; if typing does not stop, the page stays',
  async (t) => {
    await put('docs/x.md', '# Oars\n\nOne.\n')
    await openEditor(ada, '/projects/harbour/edit/docs/oars')
    await typeAtEnd(ada, 'Two')
    const more = ['three', 'four', 'five']
    const end = await interceptRequests(ada, saves, async (request) => {
      const next = request.method === 'PUT' && more.shift()
      if (next) await typeAtEnd(ada, `, ${next}`)
      await request.continue()
    })
    await button(ada, 'Save and close').click()
    const notice = ada.locator('.editor-notices').getByRole('status')
    await notice.getByText('You kept editing').waitFor()
    t.equal(readFile('documents/oars.md'), '# Oars\n\nOne.\nTwo, three, four')
    more.push('six')
    await notice.getByRole('button', { name: 'Save and close' }).click()
    await ada.waitForURL('/projects/harbour/docs/oars')
    t.equal(readFile('documents/oars.md'), '# Oars\n\nOne.\nTwo, three, four, five, six')
    await end()
  },
)

t.test('if text typed during a save cannot be saved, the page is not left', async (t) => {
  await put('docs/x.md', '# Sails\n\nOne.\n')
  const page = await newPage()
  t.teardown(() => page.close())
  await openEditor(page, '/projects/harbour/edit/docs/sails')
  await typeAtEnd(page, 'Two.')
  const first = await holdRequests(page, saves)
  const read = await holdRequests(page, '*?revision=*')
  await button(page, 'Save and close').click()
  await first.held
  await typeAtEnd(page, ' Three.')
  browser.expectError(page, /status of 409/)
  await first.release()
  // The second save is refused, because somebody else has changed the same line.
  await read.held
  await put('docs/sails.md', '# Sails\n\nOne.\nTwo hundred.', grace.key)
  await read.release()
  const mine = page.getByRole('textbox', { name: 'Your version' })
  await mine.getByText('Two. Three.').waitFor()
  await page.getByRole('textbox', { name: 'Grace’s version' }).getByText('Two hundred.').waitFor()
  await button(page, 'Back to editing').click()
  await textbox(page).getByText('Two. Three.').waitFor()
  t.match(page.url(), /\/edit\/docs\/sails$/)
})

t.test('a draft that is being published cannot be edited', async (t) => {
  await openEditor(ada, '/projects/harbour/new?kind=draft')
  await ada.getByLabel('Title').fill('Out it goes')
  await typeAtEnd(ada, 'Said.')
  await button(ada, 'Save').click()
  await waitUntilSaved(ada)
  await typeAtEnd(ada, ' Saved with it.')
  const publishing = await holdRequests(ada, '*/_publish')
  await button(ada, 'Publish').click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await publishing.held
  await ada.keyboard.type(' Too late.')
  const shown = ada.locator('.cm-content')
  t.match(await shown.innerText(), /Said\. Saved with it\.$/, 'nothing typed too late is shown')
  browser.expectError(ada, /status of 404 .*\/drafts\//)
  await publishing.release()
  await ada.waitForURL('/projects/harbour/posts/*out-it-goes')
  await ada.getByText('Said. Saved with it.').waitFor()
})
