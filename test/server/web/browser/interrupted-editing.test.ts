import { ChangeSet } from '@codemirror/state'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { textbox, typeAtEnd } from '../../../support/editor-pages.ts'
import { bo, editorText, type LiveDocument, openLiveDocuments } from '../../../support/live-documents.ts'

const documents = await openLiveDocuments(t)
const { ada, browser, workroom } = documents
const { owner, request, eventually } = workroom

/** Another page of the same browser, which a test leaves with unsaved text. */
const newPage = () => ada.context().newPage()

async function typeOfflineAndClose(document: LiveDocument, page: Page, words: string): Promise<void> {
  document.isReachable = false
  await document.closeConnections()
  await typeAtEnd(page, words)
  await page.getByText('Offline – kept in this browser').waitFor()
  await page.close()
  document.isReachable = true
}

t.test('text typed offline is kept, and sent when the connection returns', async (t) => {
  const document = await documents.create('Lamps', 'North.')
  const { authority } = document
  await document.show(ada)
  await typeAtEnd(ada, ' South.')
  await eventually(() => authority.text.toString().endsWith('South.'))
  authority.change(ChangeSet.of({ from: 9, insert: 'All: ' }, authority.text.length), {
    member: bo,
    origin: 'put',
  })
  await ada.getByText('Bo changed this document.').waitFor()
  await document.closeConnections()
  await ada.keyboard.type(' West.')
  await eventually(() => authority.text.toString() === '# Lamps\n\nAll: North. South. West.')
  for (let undone = 0; undone < 3; undone++) await ada.keyboard.press('Control+z')
  await eventually(() => authority.text.toString() === '# Lamps\n\nAll: North.')
  t.equal(await editorText(ada), '# Lamps\n\nAll: North.')
})

t.test(
  'text typed offline is sent by the next page if its page has been closed, or offered if it cannot be rebased',
  async (t) => {
    const document = await documents.create('Ropes', 'One.')
    const { authority } = document
    const pages = [await newPage(), await newPage(), await newPage()] as const
    t.teardown(() => pages[2].close())
    await document.show(pages[0])
    await typeOfflineAndClose(document, pages[0], ' Two.')
    t.equal(authority.text.toString(), '# Ropes\n\nOne.')
    const change = (from: number, insert: string) =>
      authority.change(ChangeSet.of({ from, insert }, authority.text.length), { member: bo, origin: 'file' })
    change(9, 'Zero. ')
    await document.show(pages[1])
    await textbox(pages[1]).getByText('Zero. One. Two.').waitFor()
    t.equal(authority.text.toString(), '# Ropes\n\nZero. One. Two.')
    t.equal(await pages[1].evaluate('JSON.stringify(localStorage).includes("Two.")'), false)

    await typeOfflineAndClose(document, pages[1], ' Three.')
    change(9, 'Less than zero. ')
    authority.startNewEpoch()
    await document.show(pages[2])
    await pages[2].getByText(/^You have unsaved changes from/).waitFor()
    t.equal(await editorText(pages[2]), '# Ropes\n\nLess than zero. Zero. One. Two.')
    await pages[2].getByRole('button', { name: 'Restore' }).click()
    await eventually(() => authority.text.toString() === '# Ropes\n\nLess than zero. Zero. One. Two. Three.')
  },
)

t.test('a member who may no longer edit sees why, and keeps the text', async (t) => {
  const document = await documents.create('Sails', 'Main.')
  await document.show(ada)
  document.authority.broadcast({
    type: 'refused',
    code: 'forbidden',
    message: 'You are no longer in this project.',
  })
  await document.closeConnections(4403)
  await ada
    .getByRole('alert')
    .getByText('You are no longer in this project. Your text is kept in the editor.')
    .waitFor()
  t.equal(await editorText(ada), '# Sails\n\nMain.')
})

t.test('a member signed out while typing finds the typed text after signing in', async (t) => {
  const linus = await workroom.addMember({ name: 'Kay', type: 'human' }, 'harbour')
  const document = await documents.create('Oilskin', 'Yellow.')
  const page = await browser.openPageAs(workroom, linus)
  t.teardown(() => page.context().close())
  await document.serve(page.context(), linus)
  await document.show(page)
  document.authority.ignoresPushes = true
  await typeAtEnd(page, ' Warm.')
  browser.expectError(page, /status of 401/)
  await workroom.workspace.signin.sessions.endAll(linus.member)
  await document.closeConnections(4401)
  await page.getByLabel('Your key').fill(linus.key)
  document.authority.ignoresPushes = false
  await page.keyboard.press('Enter')
  await page.waitForURL('/projects/harbour/edit/docs/oilskin')
  await textbox(page).getByText('Yellow. Warm.').waitFor()
  await eventually(() => document.authority.text.toString() === '# Oilskin\n\nYellow. Warm.')
})

t.test('where the browser stores nothing, the page says so and asks before it closes', async (t) => {
  const document = await documents.create('Hold', 'Empty.')
  const page = await newPage()
  t.teardown(() => page.close())
  await page.addInitScript('Storage.prototype.setItem = () => { throw new Error("full") }')
  await document.show(page)
  document.isReachable = false
  await document.closeConnections()
  await typeAtEnd(page, ' Full.')
  await page.getByText('Offline – not kept in this browser. Leave this page open.').waitFor()
  browser.expectError(page, /A dialog says: /)
  const asked = page.waitForEvent('dialog')
  void page.close({ runBeforeUnload: true })
  t.equal((await asked).type(), 'beforeunload')
})

t.test('Close waits until all is saved, and stays while the server is unreachable', async (t) => {
  const document = await documents.create('Anchor', 'Iron.')
  await document.show(ada)
  await typeAtEnd(ada, ' Steel.')
  document.isReachable = false
  await document.closeConnections()
  await ada.keyboard.type(' Rope.')
  await ada.getByRole('link', { name: 'Close' }).click()
  await ada.getByRole('alert').getByText('The server cannot be reached. Your changes are kept').waitFor()
  document.isReachable = true
  await eventually(() => document.authority.text.toString().endsWith('Iron. Steel. Rope.'))
  await ada.getByRole('link', { name: 'Close' }).click()
  await ada.waitForURL('/projects/harbour/docs/anchor')
  t.pass('the page is left once all is saved')
})

t.test('where no live connection can be made, a Save button takes its place', async (t) => {
  const document = await documents.create('Chain', 'Short.')
  document.isReachable = false
  await document.show(ada)
  await ada.getByText('Live editing is not available here').waitFor()
  await typeAtEnd(ada, ' Long.')
  await ada.getByRole('button', { name: 'Save', exact: true }).click()
  await ada
    .locator('.editor-state')
    .getByText(/^Saved at/)
    .waitFor()
  t.match((await request('GET', document.path)).text, /Short\. Long\.$/)
})

t.test('a text whose file is deleted stays in the editor, and can be saved as new', async (t) => {
  const document = await documents.create('Buoys', 'Red.')
  await document.show(ada)
  await typeAtEnd(ada, ' Green.')
  await eventually(() => document.authority.text.toString().endsWith('Green.'))
  // The page may ask for the document before it is saved as new.
  browser.expectError(ada, /status of 404/)
  await request('DELETE', document.path)
  const by = { id: owner.member.id, name: 'Ada' }
  document.authority.broadcast({ type: 'gone', reason: 'deleted', by, isOnDisk: true })
  await ada
    .getByRole('alert')
    .getByText('Someone with access to the disk deleted this document. Your text is kept in the editor.')
    .waitFor()
  await checkAccessibility(t, ada)
  await ada.getByRole('button', { name: 'Save as new' }).click()
  await ada
    .getByRole('status')
    .getByText(/^Saved/)
    .waitFor()
  t.match((await request('GET', document.path)).text, /# Buoys\n\nRed\. Green\.$/)
})
