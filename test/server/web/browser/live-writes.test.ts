import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { saveByRename, saveInPlace } from '../../../support/editors.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t)
const { at, clock, owner, request, eventually } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await browser.openPageAs(workroom, owner)
const graces = await browser.openPageAs(workroom, grace)
const tree = '/v1/fs/projects/general'

const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
const shown = async (page: Page) => (await text(page).locator('.cm-line').allTextContents()).join('\n')
const put = (path: string, body: string, key = owner.key) => request('PUT', `${tree}/${path}`, { key, body })

async function openEditor(page: Page, path: string): Promise<void> {
  await page.goto(`/projects/general/edit/docs/${path}`)
  // The list exists only once the live connection is open.
  await page.locator('[aria-label="People in this text"]').waitFor({ state: 'attached' })
}

t.test(
  'three people, a program, editors on the disk and a restart end in one text, and nothing is lost',
  async (t) => {
    const [north, south] = ['North: calm.', 'South: calm.']
    await put('docs/x.md', `# Log\n\n${north}\n\n${south}\n`)
    const file = at('documents/log.md')
    const saved = () => readFileSync(file, 'utf8')
    const linus = await workroom.addMember({ name: 'Linus', type: 'human' }, 'general')
    const phone = await browser.openPageAs(workroom, linus, { window: 'phone', colorScheme: 'dark' })
    t.teardown(() => phone.context().close())
    const pages = [ada, graces, phone]
    await Promise.all(pages.map((page) => openEditor(page, 'log')))
    const wordOf = (person: number, word: number) => `${'XYZ'[person]}${word}`
    // Words typed in one place at once may mix letter by letter.
    const lettersOf = (written: string) =>
      [...written]
        .filter((letter) => /\S/.test(letter))
        .sort()
        .join('')
    const untilSaved = (words: string[]) =>
      eventually(() => {
        clock.advance(2000)
        return lettersOf(saved()) === lettersOf(words.join(''))
      })

    const typing = pages.map(async (page, person) => {
      for (let word = 0; word < 4; word++) {
        await text(page).press(word % 2 === 0 ? 'Control+Home' : 'Control+End')
        // Below the title, which names the file.
        if (word % 2 === 0)
          for (const key of ['ArrowDown', 'ArrowDown', 'End']) await page.keyboard.press(key)
        await page.keyboard.type(wordOf(person, word))
        if (word % 3 === person) await page.keyboard.press('Control+s')
      }
    })
    const writing = (async () => {
      for (let word = 0; word < 4; word++) {
        const edits = [{ find: north, replace: `${north} <curl.${word}>` }]
        t.equal((await request('PATCH', `${tree}/docs/log.md`, { body: { edits } })).status, 201)
        const save = word % 2 === 0 ? saveByRename : saveInPlace
        save(file, saved().replace(south, `${south} <vim.${word}>`))
        clock.advance(2000)
      }
    })()
    await Promise.all([...typing, writing])
    const four = [0, 1, 2, 3]
    const words = [
      ...['# Log', north, south],
      ...[0, 1, 2].flatMap((person) => four.map((word) => wordOf(person, word))),
      ...four.flatMap((word) => [`<curl.${word}>`, `<vim.${word}>`]),
    ]
    await untilSaved(words)

    const typeOnAll = async (word: string) => {
      for (const page of pages) await page.keyboard.type(word)
    }
    for (const page of pages) browser.expectError(page, /ERR_CONNECTION_REFUSED/)
    await typeOnAll('b')
    await workroom.restartInPlace(async () => {
      appendFileSync(file, 'While down.\n')
      await typeOnAll('d')
    })
    await typeOnAll('a')
    for (const page of pages) await text(page).getByText('While down.').waitFor()
    await untilSaved([...words, 'While down.', ...pages.flatMap(() => ['b', 'd', 'a'])])
    await eventually(async () => {
      const texts = await Promise.all(pages.map(shown))
      return texts.every((one) => one === saved())
    })
    t.pass('every page shows the saved text')
  },
)

t.test('a disk edit is attributed to someone with access to the disk, not to the owner', async (t) => {
  await put('docs/x.md', '# Keel\n\nOak.\n')
  const pages = [await ada.context().newPage(), await graces.context().newPage()]
  t.teardown(() => Promise.all(pages.map((page) => page.close())))
  await Promise.all(pages.map((page) => openEditor(page, 'keel')))
  appendFileSync(at('documents/keel.md'), 'Elm.\n')
  await request('GET', `${tree}/docs/keel.md`)
  const someone = 'Someone with access to the disk'
  for (const page of pages) {
    await page.locator('#said').getByText(`${someone} changed this document.`).waitFor()
    await text(page).getByText('Elm.').waitFor()
  }
  for (const page of pages) browser.expectError(page, /status of 404 .*\/keel/)
  rmSync(at('documents/keel.md'))
  await workroom.passDeletionDelay()
  for (const page of pages)
    await page
      .getByRole('alert')
      .getByText(`${someone} deleted this document. Your text is kept in the editor.`)
      .waitFor()
  t.pass('everyone is told')
})

t.test(
  'text typed while the title changes is saved under the new name, and Close leaves nothing unsaved',
  async (t) => {
    await put('docs/x.md', '# Winch\n\nOld.')
    await openEditor(ada, 'winch')
    await text(ada).click()
    await ada.keyboard.press('Control+End')
    await ada.keyboard.type(' New.')
    await put('docs/winch.md', '# Crane\n\nOld.', grace.key)
    await text(ada).getByText('# Crane').waitFor()
    await ada.waitForURL('/projects/general/edit/docs/crane')
    await ada.keyboard.type(' Newer.')
    await ada.keyboard.press('Control+s')
    await ada
      .getByRole('status')
      .getByText(/^Saved/)
      .waitFor()
    await ada.getByRole('link', { name: 'Close', exact: true }).click()
    await ada.waitForURL('/projects/general/docs/crane')
    await ada.getByText('Old. New. Newer.').waitFor()
    t.equal(readFileSync(at('documents/crane.md'), 'utf8'), '# Crane\n\nOld. New. Newer.')
  },
)

t.test('an agent that is at a block is shown there until it leaves', async (t) => {
  const agent = await workroom.addMember({ name: 'Helper', type: 'agent' }, 'general')
  await put('docs/x.md', '# Bilge\n\nOne.\n\nTwo.\n\nThree.\n')
  const file = `${tree}/docs/bilge.md`
  await openEditor(ada, 'bilge')
  const { json } = await request('GET', `${file}?view=blocks`)
  const blocks = json.blocks as { id: string; text: string }[]
  const cursor = ada.locator('.cm-peer-cursor[data-name="Helper"]')
  const name = ada.getByRole('list', { name: 'People in this text' }).getByRole('button', { name: 'Helper' })
  const isAt = async (words: string) => {
    const [line, mark] = [await text(ada).getByText(words).boundingBox(), await cursor.boundingBox()]
    return line && mark && mark.y > line.y - line.height / 2 && mark.y < line.y + line.height / 2
  }
  for (const words of ['Two.', 'Three.']) {
    const { id } = blocks.find(({ text }) => text === words)!
    const beat = await request('POST', `${file}/_presence`, { key: agent.key, body: { block: id } })
    t.match(beat, { status: 200, json: { blockResolved: true } })
    await name.waitFor()
    await eventually(() => isAt(words))
  }
  await text(ada).getByText('One.').click()
  await ada.keyboard.press('End')
  await ada.keyboard.type('\nMore.')
  await eventually(() => isAt('Three.'))
  await browser.resize(ada, 'phone')
  await eventually(() => isAt('Three.'))
  await browser.resize(ada, 'laptop')
  await request('DELETE', `${file}/_presence`, { key: agent.key })
  await cursor.waitFor({ state: 'detached' })
  await name.waitFor({ state: 'detached' })
})

t.test('a new draft becomes live when it is saved, and is published with its last words', async (t) => {
  await ada.goto('/projects/general/new?kind=draft')
  await ada.getByLabel('Title').fill('Soon')
  await text(ada).click()
  await ada.keyboard.type('Now.')
  await ada.getByRole('button', { name: 'Save', exact: true }).click()
  await ada.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'hidden' })
  await text(ada).click()
  await ada.keyboard.press('Control+End')
  await ada.keyboard.type(' More.')
  await ada.getByRole('button', { name: 'Publish' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await ada.waitForURL(/\/projects\/general\/posts\/[\d-]+-soon$/)
  await ada.getByText('Now. More.').waitFor()
  t.pass('the post has all words')
})

t.test('text typed into a form of the home page stays while a document is edited elsewhere', async (t) => {
  // Only who is alone in a workspace is offered the form.
  const alone = await startWorkroom(t)
  const home = await browser.openPageAs(alone, alone.owner)
  t.teardown(() => home.context().close())
  await home.goto('/')
  const name = home.getByLabel('Your name')
  await name.fill('Ada Lovelace')
  await name.press('ArrowLeft')
  for (const words of ['One', 'Two']) {
    const updated = home.waitForResponse(
      (response) => new URL(response.url()).pathname === '/' && response.ok(),
    )
    await alone.request('PUT', `${tree}/docs/log.md`, { body: `# Log\n\n${words}.` })
    await updated
    await browser.waitForResponses(home)
    t.equal(await name.inputValue(), 'Ada Lovelace')
  }
  t.match(
    await name.evaluate((field: HTMLInputElement) => [
      document.activeElement === field,
      field.selectionStart,
    ]),
    [true, 'Ada Lovelac'.length],
    'the cursor stays, too',
  )
})
