import t from 'tap'
import {
  button,
  delayRequests,
  openEditor,
  openEditorPages,
  textbox,
  typeAtEnd,
  waitUntilSaved,
} from '../../../support/editor-pages.ts'

const { personWithoutSockets, browser, grace, readFile, put, workroom } = await openEditorPages(t)
const { owner, workspace } = workroom
const ada = await personWithoutSockets(workroom, owner)
const isWrite = /\/documents\/[^?]*\.md$/
const isRead = /\?revision=/

t.test('a page with unsaved text asks before it is closed, and the text can be restored', async (t) => {
  await put('docs/x.md', '# Crash\n\nSafe.\n')
  await openEditor(ada, '/projects/harbour/edit/docs/crash')
  await typeAtEnd(ada, 'Not saved.')
  const isKept = () => ada.evaluate<boolean>('JSON.stringify(localStorage).includes("Not saved.")')
  await workroom.eventually(isKept)
  browser.expectError(ada, /A dialog says: /)
  const asked = ada.waitForEvent('dialog')
  void ada.close({ runBeforeUnload: true })
  t.equal((await asked).type(), 'beforeunload')
  const again = await ada.context().newPage()
  t.teardown(() => again.close())
  await openEditor(again, '/projects/harbour/edit/docs/crash')
  await put('docs/crash.md', '# Crash\n\nSound.\n\nSafe.\n', grace.key)
  await textbox(again).getByText('Sound.').waitFor()
  await button(again, 'Restore').click()
  await textbox(again).getByText('Not saved.').waitFor()
  await textbox(again).getByText('Sound.').waitFor()
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

t.test('a post published without being saved first is not offered as unsaved changes', async (t) => {
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/new?kind=post')
  await page.getByLabel('Title').fill('Said once')
  await typeAtEnd(page, 'It is said.')
  await button(page, 'Publish').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL('/projects/harbour/posts/*said-once')
  await openEditor(page, '/projects/harbour/new?kind=post')
  t.equal(await page.getByText('You have unsaved changes').count(), 0)
})

t.test('text typed during a save is saved before Save and close leaves the page', async (t) => {
  await put('docs/x.md', '# Ropes\n\nOne.\n')
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/edit/docs/ropes')
  await typeAtEnd(page, 'Two.')
  const line = await delayRequests(page, isWrite)
  await button(page, 'Save and close').click()
  await line.held
  await typeAtEnd(page, ' Three.')
  await line.end()
  await page.waitForURL('/projects/harbour/docs/ropes')
  t.equal(readFile('documents/ropes.md'), '# Ropes\n\nOne.\nTwo. Three.')
})

t.test('if typing does not stop, Save and close stays on the page and says so', async (t) => {
  await put('docs/x.md', '# Oars\n\nOne.\n')
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/edit/docs/oars')
  await typeAtEnd(page, 'Two')
  const more = ['three', 'four', 'five']
  await page.route(isWrite, async (route) => {
    const next = route.request().method() === 'PUT' && more.shift()
    if (next) await typeAtEnd(page, `, ${next}`)
    await route.continue()
  })
  await button(page, 'Save and close').click()
  const notice = page.locator('.editor-notices').getByRole('status')
  await notice.getByText('You kept editing').waitFor()
  t.equal(readFile('documents/oars.md'), '# Oars\n\nOne.\nTwo, three, four')
  await notice.getByRole('button', { name: 'Save and close' }).click()
  await page.waitForURL('/projects/harbour/docs/oars')
  t.equal(readFile('documents/oars.md'), '# Oars\n\nOne.\nTwo, three, four, five')
})

t.test('if text typed during a save cannot be saved, the page is not left', async (t) => {
  await put('docs/x.md', '# Sails\n\nOne.\n')
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/edit/docs/sails')
  await typeAtEnd(page, 'Two.')
  const first = await delayRequests(page, isWrite)
  await button(page, 'Save and close').click()
  await first.held
  await typeAtEnd(page, ' Three.')
  // The second save is refused, because somebody else has changed the same line.
  await page.route(
    isRead,
    async (route) => {
      await put('docs/sails.md', '# Sails\n\nOne.\nTwo hundred.', grace.key)
      await route.continue()
    },
    { times: 1 },
  )
  browser.expectError(page, /status of 409/)
  await first.end()
  const mine = page.getByRole('textbox', { name: 'Your version' })
  await mine.getByText('Two. Three.').waitFor()
  await page.getByRole('textbox', { name: 'Grace’s version' }).getByText('Two hundred.').waitFor()
  await button(page, 'Back to editing').click()
  await textbox(page).getByText('Two. Three.').waitFor()
  t.match(page.url(), /\/edit\/docs\/sails$/)
})

t.test('a draft that is being published cannot be edited', async (t) => {
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/new?kind=draft')
  await page.getByLabel('Title').fill('Out it goes')
  await typeAtEnd(page, 'Said.')
  await button(page, 'Save').click()
  await waitUntilSaved(page)
  await typeAtEnd(page, ' Saved with it.')
  const line = await delayRequests(page, /\/_publish$/)
  await button(page, 'Publish').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await line.held
  await page.keyboard.type(' Too late.')
  await page.locator('.cm-content').click({ force: true })
  await page.keyboard.type(' Too late.')
  const shown = page.locator('.cm-content')
  t.match(await shown.innerText(), /Said\. Saved with it\.$/, 'nothing typed too late is shown')
  browser.expectError(page, /status of 404 .*\/drafts\//)
  await line.end()
  await page.waitForURL('/projects/harbour/posts/*out-it-goes')
  await page.getByText('Said. Saved with it.').waitFor()
})

t.test('restoring unsaved changes asks before it replaces a title typed since', async (t) => {
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/new?kind=document')
  await page.getByLabel('Title').fill('Before the crash')
  await typeAtEnd(page, 'Lost.')
  await workroom.eventually(() => page.evaluate<boolean>('JSON.stringify(localStorage).includes("Lost.")'))
  browser.expectError(page, /A dialog says: /)
  const asked = page.waitForEvent('dialog')
  void page.close({ runBeforeUnload: true })
  await asked
  const again = await page.context().newPage()
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
