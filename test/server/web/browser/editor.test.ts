import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import {
  button,
  openEditor,
  openEditorPages,
  textbox,
  typeAtEnd,
  waitUntilSaved,
} from '../../../support/editor-pages.ts'
import { holdRequests } from '../../../support/intercepted-requests.ts'
import { overflowWidth } from '../../../support/page-structure.ts'

const { personWithoutSockets, grace, readFile, put, workroom } = await openEditorPages(t)
const { owner, request } = workroom
const ada = await personWithoutSockets(workroom, owner)

t.test('typed text is previewed beside the editor, saved, and shown on its page', async (t) => {
  await put('docs/x.md', '# Tide tables\n\nHigh water.\n')
  await ada.goto('/projects/harbour/docs/tide-tables?edit')
  await textbox(ada).waitFor()
  t.match(ada.url(), /\/projects\/harbour\/edit\/docs\/tide-tables$/)
  await typeAtEnd(ada, '\n## Lows\n\nAsk @Gra')
  await ada.getByRole('option', { name: '@Grace' }).click()
  await ada.keyboard.type(', see [[Tide')
  await ada.getByRole('option', { name: /Tide tables/ }).click()
  const preview = ada.getByRole('region', { name: 'Preview' })
  await preview.getByRole('heading', { name: 'Lows' }).waitFor()
  await preview.getByRole('link', { name: 'Tide tables' }).waitFor()
  await ada.getByRole('status').getByText('Unsaved changes').waitFor()
  const here = await workroom.eventually(async () => {
    const { json } = await request('GET', '/v1/presence?member=self')
    return json.documents[0].here.find(({ block }: { block: string | null }) => block !== null)
  })
  t.match(here, { kind: 'editing', block: /^k\w{7}$/ }, 'others see who is editing, and at which block')
  await button(ada, 'Save and close').click()
  await ada.waitForURL('/projects/harbour/docs/tide-tables')
  await ada.getByRole('heading', { name: 'Lows' }).waitFor()
  t.match(
    readFile('documents/tide-tables.md'),
    /^# Tide tables\n\nHigh water\.\n\n## Lows\n\nAsk @\[Grace\]\(mem_\w+\), see \[\[n:doc_\w+\|Tide tables\]\]$/,
  )
})

t.test('saving an edit keeps the rest of the file byte for byte', async (t) => {
  const body =
    '---\r\n# a comment\r\ntags: [a,  b] # odd\r\n---\r\n# Odd bytes\r\n\r\n* one\n+ two\r\n\r\n\\* end'
  await put('docs/x.md', body)
  t.equal(readFile('documents/odd-bytes.md'), body)
  await openEditor(ada, '/projects/harbour/edit/docs/odd-bytes')
  await typeAtEnd(ada, ' here\nand on')
  await ada.keyboard.press('Control+s')
  await waitUntilSaved(ada)
  t.equal(readFile('documents/odd-bytes.md'), `${body} here\r\nand on`)
})

t.test('buttons and keys format a text', async (t) => {
  await openEditor(ada, '/projects/harbour/new?kind=draft')
  await textbox(ada).click()
  await ada.keyboard.type('bold')
  await ada.keyboard.press('Control+a')
  await ada.keyboard.press('Control+b')
  await button(ada, 'Italic').click()
  await ada.keyboard.press('Control+i')
  await button(ada, 'List').click()
  t.equal(await textbox(ada).innerText(), '- **bold**')
  await button(ada, 'List').click()
  await button(ada, 'Heading').click()
  await ada.keyboard.press('Control+a')
  await button(ada, 'Link').click()
  t.equal(await textbox(ada).innerText(), '[## **bold**](https://)')
  await ada.getByText('Schedule').click()
  await ada.getByLabel('Publish at').fill('2027-03-04T08:00')
  await textbox(ada).getByText('scheduledFor: 2027-03-04T08:00:00.000Z').waitFor()
  await textbox(ada).getByText('scheduledFor').click()
  await ada.keyboard.press('End')
  await ada.keyboard.type('\nbroken: [')
  await ada.getByRole('alert').getByText('The frontmatter cannot be read').waitFor()
  await button(ada, 'Save').click()
  await ada.getByRole('alert').getByText('Add a title first.').waitFor()
  await ada.getByRole('link', { name: 'Close' }).click()
  await button(ada, 'Discard').click()
  await ada.waitForURL('/projects/harbour/drafts')
})

t.test(
  'on a phone a new card has its fields in its frontmatter, and a conflict can be resolved',
  async (t) => {
    const phone = await personWithoutSockets(workroom, grace, { window: 'phone', colorScheme: 'dark' })
    t.teardown(() => phone.context().close())
    await openEditor(phone, '/projects/harbour/new?kind=card&column=02-todo')
    await phone.getByLabel('Title').fill('Paint the crane')
    await phone.getByLabel('Column').selectOption('Triage')
    await phone.getByLabel('Priority').selectOption('High')
    await phone.getByLabel('Labels').fill('paint, crane')
    await phone.getByRole('checkbox', { name: 'Grace' }).check()
    await textbox(phone).getByText('assignees: [Grace]').waitFor()
    t.ok((await overflowWidth(phone)) <= 0)
    await button(phone, 'Save').click()
    await waitUntilSaved(phone)
    const file = 'board/01-triage/0001-paint-the-crane.md'
    t.equal(
      readFile(file),
      '---\npriority: high\nlabels: [paint, crane]\nassignees: [Grace]\n---\n# Paint the crane\n\n',
    )
    t.match(phone.url(), /\/projects\/harbour\/edit\/board\/1$/)
    await phone.getByLabel('Due').fill('2027-03-04')
    await textbox(phone).getByText('due: 2027-03-04').waitFor()
    await button(phone, 'Preview').click()
    await phone
      .getByRole('region', { name: 'Preview' })
      .getByRole('heading', { name: 'Paint the crane' })
      .waitFor()
    await put(file, readFile(file).replace('[Grace]', '[]'))
    await button(phone, 'Merge now').click()
    await button(phone, 'Use theirs').waitFor()
    await checkAccessibility(t, phone)
    await button(phone, 'Keep mine').click()
    await button(phone, 'Save merged').click()
    await waitUntilSaved(phone)
    await button(phone, 'Save and close').click()
    await phone.waitForURL('/projects/harbour/board/1')
    t.match(readFile(file), /\nassignees: \[Grace\]\ndue: 2027-03-04\n---\n/)
  },
)

t.test(
  'a field is kept if it was filled in before its script had loaded, and saved if it still has the focus',
  async (t) => {
    const script = await holdRequests(ada, '*/frontmatter-*.js')
    await openEditor(ada, '/projects/harbour/new?kind=card')
    await script.held
    const labels = ada.getByLabel('Labels')
    await labels.fill('paint, crane')
    await ada.getByLabel('Title').fill('Paint the mast')
    await script.release()
    await textbox(ada).getByText('labels: [paint, crane]').waitFor()
    t.equal(await labels.inputValue(), 'paint, crane')
    await labels.focus()
    await ada.keyboard.press('End')
    await ada.keyboard.type(', mast')
    await ada.keyboard.press('Control+s')
    await waitUntilSaved(ada)
    await textbox(ada).getByText('labels: [paint, crane, mast]').waitFor()
    t.equal(await ada.getByRole('status').getByText('Unsaved changes').count(), 0)
  },
)

t.test('an author sees whom a post will not notify, while writing and before publishing it', async (t) => {
  await workroom.addMember({ name: 'Lookout', type: 'agent' })
  await ada.goto('/projects/harbour/new?kind=post')
  await ada.getByLabel('Title').fill('Storm')
  await typeAtEnd(ada, 'Careful, @Lookout.')
  const notice = ada.locator('.editor-notices')
  await notice.getByText('Lookout is not in the project harbour').waitFor()
  await checkAccessibility(t, ada)
  await button(ada, 'Publish').click()
  const dialog = ada.getByRole('dialog')
  await dialog.getByText('Lookout is not in the project harbour').waitFor()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await ada.waitForURL(/\/posts\/.*storm$/)
  await ada.locator('#unreached').getByText('Lookout').waitFor()
  await openEditor(ada, '/projects/harbour/new?kind=post')
  t.equal(
    await ada.getByText('You have unsaved changes').count(),
    0,
    'a post published without being saved first is not offered as unsaved changes',
  )
})

t.test('an offered link can be chosen while a longer query is being looked up', async (t) => {
  await put('docs/x.md', '# Neap tides\n')
  await put('docs/x.md', '# Tugs\n\nSee\n')
  await openEditor(ada, '/projects/harbour/edit/docs/tugs')
  await typeAtEnd(ada, 'See [[Neap ti')
  const option = ada.getByRole('option', { name: /Neap tides/ })
  await option.waitFor()
  const lookup = await holdRequests(ada, '*/refs?q=*')
  await ada.keyboard.type('d')
  await option.click()
  await textbox(ada)
    .getByText(/See \[\[n:doc_\w+\|Neap tides\]\]$/)
    .waitFor()
  await lookup.release()
  await ada.keyboard.press('Control+s')
  await waitUntilSaved(ada)
  t.match(readFile('documents/tugs.md'), /See \[\[n:doc_\w+\|Neap tides\]\]$/)
})
