import { ChangeSet } from '@codemirror/state'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { textbox, typeAtEnd } from '../../../support/editor-pages.ts'
import {
  bo,
  editorStatus,
  editorText,
  type LiveDocument,
  openLiveDocuments,
} from '../../../support/live-documents.ts'

const documents = await openLiveDocuments(t)
const { browser, workroom, grace } = documents
const { owner, request, eventually } = workroom

async function typeOfflineAndClose(document: LiveDocument, page: Page, words: string): Promise<void> {
  document.isReachable = false
  await document.closeConnections()
  await typeAtEnd(page, words)
  await page.getByText('Offline – kept in this browser').waitFor()
  await page.close()
}

t.test('text typed offline is kept, and sent when the connection returns', async (t) => {
  const document = await documents.create('Lamps', 'North.')
  const page = await document.open(owner)
  t.teardown(() => page.context().close())
  await typeAtEnd(page, ' South.')
  await eventually(() => document.authority.text.toString().endsWith('South.'))
  document.authority.change(ChangeSet.of({ from: 9, insert: 'All: ' }, document.authority.text.length), {
    member: bo,
    origin: 'put',
  })
  await page.getByText('Bo changed this document.').waitFor()
  await document.closeConnections()
  await page.keyboard.type(' West.')
  await eventually(() => document.authority.text.toString() === '# Lamps\n\nAll: North. South. West.')
  for (let undone = 0; undone < 3; undone++) await page.keyboard.press('Control+z')
  await eventually(() => document.authority.text.toString() === '# Lamps\n\nAll: North.')
})

for (const [window, title] of [
  ['laptop', 'Ropes'],
  ['phone', 'Cords'],
] as const) {
  t.test(
    `text typed offline on a ${window} is sent by the next page if its page has been closed`,
    async (t) => {
      const document = await documents.create(title, 'One.')
      const page = await document.open(owner, { window })
      const context = page.context()
      t.teardown(() => context.close())
      await typeOfflineAndClose(document, page, ' Two.')
      t.equal(document.authority.text.toString(), `# ${title}\n\nOne.`)
      document.isReachable = true
      document.authority.change(ChangeSet.of({ from: 9, insert: 'Zero. ' }, 13), {
        member: bo,
        origin: 'file',
      })
      const again = await context.newPage()
      await document.show(again)
      await textbox(again).getByText('Zero. One. Two.').waitFor()
      t.equal(document.authority.text.toString(), `# ${title}\n\nZero. One. Two.`)
      t.equal(await again.evaluate('JSON.stringify(localStorage).includes("Two.")'), false)
    },
  )
}

t.test('unsaved changes that cannot be rebased on a newer text are offered', async (t) => {
  const document = await documents.create('Oars', 'One.')
  const page = await document.open(owner)
  const context = page.context()
  t.teardown(() => context.close())
  await typeOfflineAndClose(document, page, ' Two.')
  document.isReachable = true
  document.authority.change(ChangeSet.of({ from: 8, insert: 'Zero. ' }, 12), { member: bo, origin: 'file' })
  document.authority.startNewEpoch()
  const again = await context.newPage()
  await document.show(again)
  await again.getByText(/^You have unsaved changes from/).waitFor()
  t.equal(await editorText(again), '# Oars\n\nZero. One.')
  await again.getByRole('button', { name: 'Restore' }).click()
  await eventually(() => document.authority.text.toString() === '# Oars\n\nZero. One. Two.')
})

t.test('a member who may no longer edit sees why, and keeps the text', async (t) => {
  const document = await documents.create('Sails', 'Main.')
  const page = await document.open(grace)
  t.teardown(() => page.context().close())
  document.authority.broadcast({
    type: 'refused',
    code: 'forbidden',
    message: 'You are no longer in this project.',
  })
  await document.closeConnections(4403)
  await page
    .getByRole('alert')
    .getByText('You are no longer in this project. Your text is kept in the editor.')
    .waitFor()
  t.equal(await editorText(page), '# Sails\n\nMain.')
})

t.test('a member signed out while typing finds the typed text after signing in', async (t) => {
  const linus = await workroom.addMember({ name: 'Kay', type: 'human' }, 'harbour')
  const document = await documents.create('Oilskin', 'Yellow.')
  const page = await document.open(linus)
  t.teardown(() => page.context().close())
  document.authority.ignoresPushes = true
  await typeAtEnd(page, ' Warm.')
  browser.expectError(page, /status of 401/)
  await workroom.workspace.signin.sessions.endAll(linus.member)
  await document.closeConnections(4401)
  await page.getByLabel('Your key').fill(linus.key)
  document.authority.ignoresPushes = false
  await page.keyboard.press('Enter')
  await page.waitForURL('/projects/harbour/edit/docs/oilskin')
  await document.show(page)
  await textbox(page).getByText('Yellow. Warm.').waitFor()
  t.equal(document.authority.text.toString(), '# Oilskin\n\nYellow. Warm.')
})

t.test('where the browser stores nothing, the page says so and asks before it closes', async (t) => {
  const document = await documents.create('Hold', 'Empty.')
  const page = await browser.openPageAs(workroom, owner)
  await page.context().addInitScript('Storage.prototype.setItem = () => { throw new Error("full") }')
  await document.attach(page, owner)
  await document.show(page)
  document.isReachable = false
  await document.closeConnections()
  await typeAtEnd(page, ' Full.')
  await page.getByText('Offline – not kept in this browser. Leave this page open.').waitFor()
  browser.expectError(page, /A dialog says: /)
  const asked = page.waitForEvent('dialog')
  void page.close({ runBeforeUnload: true })
  t.equal((await asked).type(), 'beforeunload')
  await page.context().close()
})

t.test('Close waits until all is saved, and stays while the server is unreachable', async (t) => {
  const document = await documents.create('Anchor', 'Iron.')
  const page = await document.open(owner)
  t.teardown(() => page.context().close())
  await typeAtEnd(page, ' Steel.')
  document.isReachable = false
  await document.closeConnections()
  await page.keyboard.type(' Rope.')
  await page.getByRole('link', { name: 'Close' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached. Your changes are kept').waitFor()
  document.isReachable = true
  await eventually(() => document.authority.text.toString().endsWith('Iron. Steel. Rope.'))
  await page.getByRole('link', { name: 'Close' }).click()
  await page.waitForURL('/projects/harbour/docs/anchor')
})

t.test('where no live connection can be made, a Save button takes its place', async (t) => {
  const document = await documents.create('Chain', 'Short.')
  document.isReachable = false
  const page = await document.open(owner)
  t.teardown(() => page.context().close())
  await page.getByText('Live editing is not available here').waitFor()
  await typeAtEnd(page, ' Long.')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await eventually(async () => /^Saved at/.test(await editorStatus(page)))
  t.match((await request('GET', document.path)).text, /Short\. Long\.$/)
})

t.test('a text whose file is deleted stays in the editor, and can be saved as new', async (t) => {
  const document = await documents.create('Buoys', 'Red.')
  const page = await document.open(owner)
  t.teardown(() => page.context().close())
  await typeAtEnd(page, ' Green.')
  await eventually(() => document.authority.text.toString().endsWith('Green.'))
  await request('DELETE', document.path)
  const by = { id: owner.member.id, name: 'Ada' }
  document.authority.broadcast({ type: 'gone', reason: 'deleted', by, isOnDisk: true })
  await page
    .getByRole('alert')
    .getByText('Someone with access to the disk deleted this document. Your text is kept in the editor.')
    .waitFor()
  await checkAccessibility(t, page)
  await page.getByRole('button', { name: 'Save as new' }).click()
  await page
    .getByRole('status')
    .getByText(/^Saved/)
    .waitFor()
  const { text: saved } = await request('GET', document.path)
  t.match(saved, /# Buoys\n\nRed\. Green\.$/)
})
