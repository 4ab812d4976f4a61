import t from 'tap'
import { button, open, openEditorPages, saved, slowLine, text, write } from '../../../support/editor-pages.ts'

const { alone, browser, grace, onDisk, put, workroom } = await openEditorPages(t)
const { owner, workspace } = workroom
const ada = await alone(workroom, owner)
const isWrite = /\/documents\/[^?]*\.md$/
const isRead = /\?revision=/

t.test('text that was not saved survives a crash, and the page asks before it is left', async (t) => {
  await put('docs/x.md', '# Crash\n\nSafe.\n')
  await open(ada, '/projects/harbour/edit/docs/crash')
  await write(ada, 'Not saved.')
  const isKept = () => ada.evaluate<boolean>('JSON.stringify(localStorage).includes("Not saved.")')
  await workroom.eventually(isKept)
  browser.expect(ada, /A dialog says: /)
  const asked = ada.waitForEvent('dialog')
  void ada.close({ runBeforeUnload: true })
  t.equal((await asked).type(), 'beforeunload')
  const again = await ada.context().newPage()
  t.teardown(() => again.close())
  await open(again, '/projects/harbour/edit/docs/crash')
  await put('docs/crash.md', '# Crash\n\nSound.\n\nSafe.\n', grace.key)
  await text(again).getByText('Sound.').waitFor()
  await button(again, 'Restore').click()
  await text(again).getByText('Not saved.').waitFor()
  await text(again).getByText('Sound.').waitFor()
})

t.test('who is signed out while writing gets the text back after signing in', async (t) => {
  const linus = await workroom.addMember({ name: 'Linus', type: 'human' }, 'harbour')
  const page = await alone(workroom, linus)
  t.teardown(() => page.context().close())
  await put('docs/x.md', '# Signed out\n\nBefore.\n')
  await open(page, '/projects/harbour/edit/docs/signed-out')
  await write(page, 'Mine.')
  browser.expect(page, /status of 401/)
  await workspace.signin.sessions.endAll(linus.member)
  await page.keyboard.press('Control+s')
  await page.getByLabel('Your key').fill(linus.key)
  await page.keyboard.press('Enter')
  await page.waitForURL('/projects/harbour/edit/docs/signed-out')
  await text(page).getByText('Mine.').waitFor()
  await page.keyboard.press('Control+s')
  await saved(page)
  t.equal(onDisk('documents/signed-out.md'), '# Signed out\n\nBefore.\nMine.')
})

t.test('a post that was published at once is not offered as unsaved', async (t) => {
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/new?kind=post')
  await page.getByLabel('Title').fill('Said once')
  await write(page, 'It is said.')
  await button(page, 'Publish').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL('/projects/harbour/posts/*said-once')
  await open(page, '/projects/harbour/new?kind=post')
  t.equal(await page.getByText('You have unsaved changes').count(), 0)
})

t.test('what is written while a text is saved is saved before its page is left', async (t) => {
  await put('docs/x.md', '# Ropes\n\nOne.\n')
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/edit/docs/ropes')
  await write(page, 'Two.')
  const line = await slowLine(page, isWrite)
  await button(page, 'Save and close').click()
  await line.held
  await write(page, ' Three.')
  await line.end()
  await page.waitForURL('/projects/harbour/docs/ropes')
  t.equal(onDisk('documents/ropes.md'), '# Ropes\n\nOne.\nTwo. Three.')
})

t.test('under somebody who does not stop writing the page stays, and says so', async (t) => {
  await put('docs/x.md', '# Oars\n\nOne.\n')
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/edit/docs/oars')
  await write(page, 'Two')
  const more = ['three', 'four', 'five']
  await page.route(isWrite, async (route) => {
    const next = route.request().method() === 'PUT' && more.shift()
    if (next) await write(page, `, ${next}`)
    await route.continue()
  })
  await button(page, 'Save and close').click()
  const notice = page.locator('.editor-news').getByRole('status')
  await notice.getByText('You kept editing').waitFor()
  t.equal(onDisk('documents/oars.md'), '# Oars\n\nOne.\nTwo, three, four')
  await notice.getByRole('button', { name: 'Save and close' }).click()
  await page.waitForURL('/projects/harbour/docs/oars')
  t.equal(onDisk('documents/oars.md'), '# Oars\n\nOne.\nTwo, three, four, five')
})

t.test('where what was written meanwhile cannot be saved, the page is not left', async (t) => {
  await put('docs/x.md', '# Sails\n\nOne.\n')
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/edit/docs/sails')
  await write(page, 'Two.')
  const first = await slowLine(page, isWrite)
  await button(page, 'Save and close').click()
  await first.held
  await write(page, ' Three.')
  // The second save is refused: somebody else was faster, on the same line.
  await page.route(
    isRead,
    async (route) => {
      await put('docs/sails.md', '# Sails\n\nOne.\nTwo hundred.', grace.key)
      await route.continue()
    },
    { times: 1 },
  )
  browser.expect(page, /status of 409/)
  await first.end()
  const mine = page.getByRole('textbox', { name: 'Your version' })
  await mine.getByText('Two. Three.').waitFor()
  await page.getByRole('textbox', { name: 'Grace’s version' }).getByText('Two hundred.').waitFor()
  await button(page, 'Back to editing').click()
  await text(page).getByText('Two. Three.').waitFor()
  t.match(page.url(), /\/edit\/docs\/sails$/)
})

t.test('nothing can be written into a draft that is being published', async (t) => {
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/new?kind=draft')
  await page.getByLabel('Title').fill('Out it goes')
  await write(page, 'Said.')
  await button(page, 'Save').click()
  await saved(page)
  await write(page, ' Saved with it.')
  const line = await slowLine(page, /\/_publish$/)
  await button(page, 'Publish').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await line.held
  await page.keyboard.type(' Too late.')
  await page.locator('.cm-content').click({ force: true })
  await page.keyboard.type(' Too late.')
  const shown = page.locator('.cm-content')
  t.match(await shown.innerText(), /Said\. Saved with it\.$/, 'nobody is led to think that it is published')
  browser.expect(page, /status of 404 .*\/drafts\//)
  await line.end()
  await page.waitForURL('/projects/harbour/posts/*out-it-goes')
  await page.getByText('Said. Saved with it.').waitFor()
})

t.test('a title that was typed since is not replaced unasked by the one that is taken back', async (t) => {
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/new?kind=document')
  await page.getByLabel('Title').fill('Before the crash')
  await write(page, 'Lost.')
  await workroom.eventually(() => page.evaluate<boolean>('JSON.stringify(localStorage).includes("Lost.")'))
  browser.expect(page, /A dialog says: /)
  const asked = page.waitForEvent('dialog')
  void page.close({ runBeforeUnload: true })
  await asked
  const again = await page.context().newPage()
  await open(again, '/projects/harbour/new?kind=document')
  await button(again, 'Restore').waitFor()
  await again.getByLabel('Title', { exact: true }).fill('Since then')
  await button(again, 'Restore').click()
  await again.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  t.equal(await again.getByLabel('Title', { exact: true }).inputValue(), 'Since then')
  await button(again, 'Restore').click()
  await again.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await text(again).getByText('Lost.').waitFor()
  t.equal(await again.getByLabel('Title', { exact: true }).inputValue(), 'Before the crash')
})
