import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { owner, request, eventually } = workroom
await request('POST', '/v1/projects', { body: { name: 'Harbour' } })
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'harbour')
const tree = '/v1/fs/projects/harbour'

const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
const shown = async (page: Page) => (await text(page).locator('.cm-line').allTextContents()).join('\n')
const onDisk = (path: string) => readFileSync(join(workroom.home, 'projects/harbour', path), 'utf8')

async function open(who: typeof owner, path: string, options = {}): Promise<Page> {
  const page = await browser.openPageAs(workroom, who, options)
  await page.goto(path)
  await text(page).waitFor()
  return page
}

t.test(
  'typing by three people, a PUT, a disk edit and a restart all end in one text, and nothing is lost',
  async (t) => {
    await request('PUT', `${tree}/docs/x.md`, { body: '# Log\n\nDay one.\n\nEnd.\n' })
    const path = '/projects/harbour/edit/docs/log'
    const pages = await Promise.all([
      open(owner, path),
      open(grace, path),
      open(grace, path, { window: 'phone', colorScheme: 'dark' }),
    ])
    t.teardown(() => Promise.all(pages.map((page) => page.context().close())))
    const typing = pages.map(async (page, person) => {
      await text(page).getByText('End.').click()
      await page.keyboard.press(person === 0 ? 'End' : 'Home')
      for (let word = 0; word < 4; word++) await page.keyboard.type(`(${person}${word})`)
    })
    const file = `${tree}/docs/log.md`
    const { text: read } = await request('GET', file)
    t.equal((await request('PUT', file, { body: read.replace('Day one.', 'Day one, by PUT.') })).status, 201)
    await Promise.all(typing)
    let words = pages.flatMap((_, person) => [0, 1, 2, 3].map((word) => `(${person}${word})`))
    const lettersOf = (written: string) => [...written].sort().join('')
    const hasAll = (written: string, rest: string) =>
      lettersOf(written) === lettersOf([rest, ...words].join(''))
    const holds = (rest: string) => eventually(() => hasAll(onDisk('documents/log.md'), rest))
    const saveOnceReceived = async (rest: string) => {
      await eventually(async () => hasAll(await shown(pages[0]!), rest))
      await pages[0]!.keyboard.press('Control+s')
    }
    await saveOnceReceived('# Log\n\nDay one, by PUT.\n\nEnd.\n')
    await holds('# Log\n\nDay one, by PUT.\n\nEnd.\n')
    appendFileSync(join(workroom.home, 'projects/harbour/documents/log.md'), 'From the disk.\n')
    await request('GET', file)
    for (const page of pages) await text(page).getByText('From the disk.').waitFor()
    await holds('# Log\n\nDay one, by PUT.\n\nEnd.\nFrom the disk.\n')
    for (const page of pages) await page.keyboard.type('[before]')
    for (const page of pages) browser.expectError(page, /ERR_CONNECTION_REFUSED/)
    await workroom.restartInPlace(async () => {
      appendFileSync(join(workroom.home, 'projects/harbour/documents/log.md'), 'While down.\n')
      for (const page of pages) await page.keyboard.type('[down]')
    })
    for (const page of pages) await page.keyboard.type('[after]')
    words = [...words, ...pages.flatMap(() => ['[before]', '[down]', '[after]'])]
    for (const page of pages) await text(page).getByText('While down.').waitFor()
    await saveOnceReceived('# Log\n\nDay one, by PUT.\n\nEnd.\nFrom the disk.\nWhile down.\n')
    await holds('# Log\n\nDay one, by PUT.\n\nEnd.\nFrom the disk.\nWhile down.\n')
    for (const page of pages) await eventually(async () => (await shown(page)) === onDisk('documents/log.md'))
    t.pass('every page shows the saved text')
  },
)

t.test('a disk edit is attributed to someone with access to the disk, not to the owner', async (t) => {
  for (const window of ['laptop', 'phone'] as const) {
    await request('PUT', `${tree}/docs/x.md`, { body: `# Keel ${window}\n\nOak.\n` })
    const file = join(workroom.home, `projects/harbour/documents/keel-${window}.md`)
    const path = `/projects/harbour/edit/docs/keel-${window}`
    const pages = [await open(owner, path, { window }), await open(grace, path, { window })]
    t.teardown(() => Promise.all(pages.map((page) => page.context().close())))
    appendFileSync(file, 'Elm.\n')
    await request('GET', `${tree}/docs/keel-${window}.md`)
    const someone = 'Someone with access to the disk'
    for (const page of pages) {
      await page.locator('#said').getByText(`${someone} changed this document.`).waitFor()
      await text(page).getByText('Elm.').waitFor()
    }
    for (const page of pages) browser.expectError(page, /status of 404 .*\/keel-/)
    rmSync(file)
    const deleted = `${someone} deleted this document. Your text is kept in the editor.`
    const isSaid = (page: Page) => page.getByRole('alert').getByText(deleted).isVisible()
    await eventually(async () => {
      workroom.clock.advance(2000)
      return (await Promise.all(pages.map(isSaid))).every((one) => one)
    })
  }
})

t.test(
  'text typed while the title changes is saved under the new name, and Close leaves nothing unsaved',
  async (t) => {
    await request('PUT', `${tree}/docs/x.md`, { body: '# Winch\n\nOld.' })
    const page = await open(owner, '/projects/harbour/edit/docs/winch')
    t.teardown(() => page.context().close())
    await text(page).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' New.')
    await request('PUT', `${tree}/docs/winch.md`, { body: '# Crane\n\nOld.', key: grace.key })
    await text(page).getByText('# Crane').waitFor()
    await page.waitForURL('/projects/harbour/edit/docs/crane')
    await page.keyboard.type(' Newer.')
    await page.keyboard.press('Control+s')
    await page
      .getByRole('status')
      .getByText(/^Saved/)
      .waitFor()
    await page.getByRole('link', { name: 'Close', exact: true }).click()
    await page.waitForURL('/projects/harbour/docs/crane')
    await page.getByText('Old. New. Newer.').waitFor()
    t.equal(onDisk('documents/crane.md'), '# Crane\n\nOld. New. Newer.')
  },
)

for (const window of ['laptop', 'phone'] as const) {
  t.test(`an agent that is at a block is shown there on a ${window} until it leaves`, async (t) => {
    const agent = await workroom.addMember({ name: `Helper ${window}`, type: 'agent' }, 'harbour')
    await request('PUT', `${tree}/docs/x.md`, { body: `# Bilge ${window}\n\nOne.\n\nTwo.\n\nThree.\n` })
    const file = `${tree}/docs/bilge-${window}.md`
    const page = await open(owner, `/projects/harbour/edit/docs/bilge-${window}`, { window })
    t.teardown(() => page.context().close())
    const { json } = await request('GET', `${file}?view=blocks`)
    const blocks = json.blocks as { id: string; text: string }[]
    const cursor = page.locator(`.cm-peer-cursor[data-name="Helper ${window}"]`)
    const name = page
      .getByRole('list', { name: 'People in this text' })
      .getByRole('button', { name: `Helper ${window}` })
    const isAt = async (words: string) => {
      const [line, mark] = [await text(page).getByText(words).boundingBox(), await cursor.boundingBox()]
      return line && mark && mark.y > line.y - line.height / 2 && mark.y < line.y + line.height / 2
    }
    for (const words of ['Two.', 'Three.']) {
      const { id } = blocks.find(({ text }) => text === words)!
      const beat = await request('POST', `${file}/_presence`, { key: agent.key, body: { block: id } })
      t.match(beat, { status: 200, json: { blockResolved: true } })
      await name.waitFor()
      await eventually(() => isAt(words))
    }
    await text(page).getByText('One.').click()
    await page.keyboard.press('End')
    await page.keyboard.type('\nMore.')
    await eventually(() => isAt('Three.'))
    await request('DELETE', `${file}/_presence`, { key: agent.key })
    await cursor.waitFor({ state: 'detached' })
    await name.waitFor({ state: 'detached' })
  })
}

t.test('a new draft becomes live when it is saved, and is published with its last words', async (t) => {
  const page = await browser.openPageAs(workroom, owner)
  t.teardown(() => page.context().close())
  await page.goto('/projects/harbour/new?kind=draft')
  await page.getByLabel('Title').fill('Soon')
  await text(page).click()
  await page.keyboard.type('Now.')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'hidden' })
  await text(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' More.')
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL(/\/projects\/harbour\/posts\/[\d-]+-soon$/)
  await page.getByText('Now. More.').waitFor()
})

t.test('text typed into a form of the home page stays while a document is edited elsewhere', async (t) => {
  const alone = await startWorkroom(t)
  const tree = '/v1/fs/projects/general'
  await alone.request('PUT', `${tree}/docs/x.md`, { body: '# Log\n\nOne.' })
  const home = await browser.openPageAs(alone, alone.owner)
  const editor = await home.context().newPage()
  t.teardown(() => home.context().close())
  await home.goto('/')
  const name = home.getByLabel('Your name')
  await name.fill('Ada Lovelace')
  await name.press('ArrowLeft')
  await editor.goto('/projects/general/edit/docs/log')
  await text(editor).click()
  const refreshed = () =>
    home.waitForResponse((response) => new URL(response.url()).pathname === '/' && response.ok())
  for (const words of [' Two.', ' Three.']) {
    const updated = refreshed()
    await editor.keyboard.press('Control+End')
    await editor.keyboard.type(words)
    await editor.keyboard.press('Control+s')
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
