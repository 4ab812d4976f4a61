import { ChangeSet } from '@codemirror/state'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { checkBothWindows } from '../../../support/both-windows.ts'
import { textbox, typeAtEnd } from '../../../support/editor-pages.ts'
import {
  bo,
  editorStatus,
  editorText,
  LiveDocument,
  openLiveDocuments,
} from '../../../support/live-documents.ts'

const documents = await openLiveDocuments(t)
const { ada, graces, browser, workroom } = documents
const { owner, request, eventually } = workroom

/** Starts to record announcements to screen readers. @returns a function that answers those so far */
async function announcements(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`{
    window.announced = []
    const note = (changes) => changes.forEach(({ target }) => {
      if (target.closest?.('[role="status"]') && target.ariaLive !== 'off') announced.push(target.textContent)
    })
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
  }`)
  return () => page.evaluate<string[]>('announced')
}

t.test('two people type in one text, and undo reverts only their own words', async (t) => {
  const document = await documents.create('Tides', 'High water.')
  await Promise.all([document.show(ada), document.show(graces)])
  const announced = await announcements(ada)
  await typeAtEnd(ada, ' Low water.')
  await textbox(graces).getByText('High water. Low water.').waitFor()
  await textbox(graces).click()
  await graces.keyboard.press('Control+Home')
  await graces.keyboard.press('End')
  await graces.keyboard.type(' of May')
  await textbox(ada).getByText('# Tides of May').waitFor()
  await ada.keyboard.press('Control+z')
  await eventually(async () => (await editorText(graces)) === '# Tides of May\n\nHigh water.')
  t.equal(document.authority.text.toString(), '# Tides of May\n\nHigh water.')
  t.equal(await editorText(ada), await editorText(graces))
  const people = ada.getByRole('list', { name: 'People in this text' })
  await people.getByRole('button', { name: 'Grace' }).waitFor()
  t.equal(await ada.locator('.cm-peer-cursor').getAttribute('data-name'), 'Grace')
  await graces.keyboard.press('Shift+Home')
  await ada.locator('.cm-peer-range').waitFor()
  const typing = (words: string) => /typing/.test(words)
  await eventually(async () => (await announced()).some(typing))
  const ofTyping = (await announced()).filter(typing)
  t.match(ofTyping, [/^Grace is typing in the section Tides/])
  t.equal(ofTyping.length, 1, 'typing is announced once, not for each letter')
  const { json } = await request('GET', `${document.path}?view=blocks`)
  const block = (json.blocks as { id: string; source?: string }[]).at(-1)!.id
  const agent = { id: 'mem_agent', name: 'Helper', kind: 'agent' }
  document.authority.broadcast({ type: 'joined', clientId: 'presence:mem_agent', member: agent, block })
  await ada.locator('.cm-peer-cursor[data-name="Helper"]').waitFor()
  const colors = await people
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => getComputedStyle(button).getPropertyValue('--peer')))
  t.equal(new Set(colors).size, 2, 'each has a color of their own')
  await checkAccessibility(t, ada)
  document.authority.broadcast({ type: 'left', clientId: 'presence:mem_agent', member: agent })
  await people.getByRole('button', { name: 'Helper' }).waitFor({ state: 'detached' })
  const saves = async () => (await announced()).filter((words) => /^Saved/.test(words)).length
  const saved = await saves()
  await ada.keyboard.press('Control+s')
  await eventually(async () => (await saves()) === saved + 1)
  await textbox(ada).focus()
  await ada.keyboard.press('Escape')
  await ada.keyboard.press('Tab')
  t.equal(await ada.locator('.cm-content:focus').count(), 0, 'Escape and Tab leave the editor')
  await graces.goto('/members')
  await people.waitFor({ state: 'hidden' })
})

t.test(
  'writes by others and by programs are shown with their writer’s name, if known, and in the preview',
  async (t) => {
    const document = await documents.create('Bells', 'One.')
    await document.show(ada)
    const { authority } = document
    const preview = ada.getByRole('region', { name: 'Preview' })
    await preview.getByText('One.').waitFor()
    const me = { id: owner.member.id, name: 'Ada' }
    const status = (words: string) => ada.getByRole('status').getByText(words, { exact: true })
    const writes = [
      [bo, 'put', 'Bo changed this document.'],
      [me, 'put', 'You changed this document elsewhere.'],
      [me, 'file', 'Someone with access to the disk changed this document.'],
    ] as const
    for (const [member, origin, message] of writes) {
      const { length } = authority.text
      authority.change(ChangeSet.of({ from: length, insert: ` By ${member.name}, ${origin}.` }, length), {
        member,
        origin,
      })
      await status(message).waitFor()
      await preview.getByText(`By ${member.name}, ${origin}.`).waitFor()
    }
    const { length } = authority.text
    const saved = { member: { id: 'mem_kay', name: 'Kay' }, origin: 'save' } as const
    authority.change(ChangeSet.of({ from: length, insert: ' By a save.' }, length), saved)
    await preview.getByText('By a save.').waitFor()
    t.equal(await ada.getByText('Kay changed').count(), 0, 'saving is not announced as a write')
  },
)

t.test('the file’s line ends and mentions are kept, and mentions are shown as names', async (t) => {
  const document = await documents.create('Crew', 'Captain: @[Grace](mem_1)\r\nMate: Bo\r\nEnd')
  await document.show(ada)
  await textbox(ada).getByText('Captain: @Grace', { exact: true }).click()
  await ada.keyboard.press('End')
  await ada.keyboard.type('!\nCook: Al')
  await ada.keyboard.press('Home')
  await ada.keyboard.press('Backspace')
  await ada.keyboard.type(' ')
  await ada.keyboard.press('End')
  await ada.keyboard.press('ArrowRight')
  await ada.keyboard.press('End')
  await ada.keyboard.press('Delete')
  await ada.keyboard.type(', ')
  await eventually(() => document.authority.text.toString().endsWith(', End'))
  t.equal(document.authority.text.toString(), '# Crew\n\nCaptain: @[Grace](mem_1)! Cook: Al\r\nMate: Bo, End')
  await ada.keyboard.press('Control+z')
  await ada.keyboard.press('Control+z')
  await eventually(() => document.authority.text.toString().endsWith('Mate: Bo\r\nEnd'))
  await checkBothWindows(t, browser, ada, 'a text with a mention')
})

t.test('the page follows a rename and says who did it, and offers the post after publishing', async (t) => {
  const document = await documents.create('Winch', 'Old.')
  await document.show(graces)
  const by = { id: owner.member.id, name: 'Ada' }
  const to = '/projects/harbour/docs/guides/crane'
  document.authority.broadcast({ type: 'gone', reason: 'moved', by, to })
  await graces.getByRole('status').getByText('Ada moved this document.').waitFor()
  await graces.waitForURL('/projects/harbour/edit/docs/guides/crane')
  await typeAtEnd(graces, ' New.')
  await eventually(() => document.authority.text.toString().endsWith('Old. New.'))
  document.authority.broadcast({
    type: 'saveFailed',
    code: 'storage_full',
    message: 'The disk is full.',
    willRetry: true,
  })
  await graces.getByRole('alert').getByText('The disk is full.').waitFor()
  t.equal(await editorStatus(graces), 'Not saved')
  document.authority.save()
  await eventually(async () => /^Saved at/.test(await editorStatus(graces)))
  t.equal(await graces.getByText('The disk is full.').count(), 0)
  document.authority.broadcast({
    type: 'gone',
    reason: 'published',
    by,
    to: '/projects/harbour/posts/crane',
    draft: '/projects/harbour/drafts/rest',
  })
  const alert = graces.getByRole('alert')
  await alert.getByText('This draft has been published and can no longer be changed.').waitFor()
  await alert.getByRole('button', { name: 'Read the post' }).waitFor()
  await alert.getByRole('button', { name: 'Open the draft with your unsaved changes' }).waitFor()
})

t.test(
  'three people and a program write at once, through lost connections, and end with the same text',
  async (t) => {
    const document = await documents.create('Log', 'Day one.')
    const { authority } = document
    const linus = await workroom.addMember({ name: 'Linus', type: 'human' }, 'harbour')
    const phone = { window: 'phone', colorScheme: 'dark' } as const
    const linuss = await browser.openPageAs(workroom, linus, phone)
    t.teardown(() => linuss.context().close())
    await document.serve(linuss.context(), linus)
    const pages = [ada, graces, linuss]
    await Promise.all(pages.map((page) => document.show(page)))
    const wordOf = (person: number, word: number) => `${'XYZ'[person]}${word}`
    const typing = pages.map(async (page, person) => {
      for (let word = 0; word < 4; word++) {
        await textbox(page).press(word % 2 === 0 ? 'Control+Home' : 'Control+End')
        await page.keyboard.type(wordOf(person, word))
      }
    })
    for (let write = 0; write < 4; write++) {
      const { version, text: now } = authority
      const changes = ChangeSet.of({ from: now.length, insert: `<p.${write}>` }, now.length)
      authority.change(changes, { member: bo, origin: write % 2 === 0 ? 'put' : 'file' })
      await eventually(() => authority.version > version + 1)
      await document.closeConnections(write % 2 === 0 ? 1012 : 1006)
    }
    await Promise.all(typing)
    const words = [0, 1, 2].flatMap((person) => [...Array(4).keys()].map((word) => wordOf(person, word)))
    const writes = [...Array(4).keys()].map((write) => `<p.${write}>`)
    // Words typed in one place at once may mix letter by letter.
    const lettersOf = (written: string) => [...written].sort().join('')
    const all = lettersOf(['# Log\n\nDay one.', ...words, ...writes].join(''))
    await eventually(() => lettersOf(authority.text.toString()) === all)
    await eventually(async () => {
      const texts = await Promise.all(pages.map(editorText))
      return texts.every((one) => one === authority.text.toString())
    })
    t.pass()
  },
)

t.test(
  'a new document becomes live when it is saved, and nothing typed meanwhile is lost on the way',
  async (t) => {
    const document = new LiveDocument('Pier', 'Wood.')
    const page = await ada.context().newPage()
    t.teardown(() => page.close())
    await document.serve(page, owner)
    await page.goto('/projects/harbour/new?kind=document')
    await page.getByLabel('Title').fill('Pier')
    await typeAtEnd(page, 'Wood.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await textbox(page).focus()
    await page.keyboard.type(' Stone.')
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'hidden' })
    await page.waitForURL('/projects/harbour/edit/docs/pier')
    await eventually(() => document.authority.text.toString() === '# Pier\n\nWood. Stone.')
    await page.keyboard.type(' Iron.')
    await eventually(() => document.authority.text.toString() === '# Pier\n\nWood. Stone. Iron.')
    t.equal(await editorText(page), '# Pier\n\nWood. Stone. Iron.')
  },
)
