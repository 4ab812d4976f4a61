import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page, Route } from 'playwright-core'
import t from 'tap'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { owner, workspace, request } = workroom
await request('POST', '/v1/projects', { body: { name: 'Harbour' } })
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'harbour')
const tree = '/v1/fs/projects/harbour'

/** A page of somebody whose texts are saved by a button, as nothing can be written together. */
async function alone(...person: Parameters<typeof browser.person>): Promise<Page> {
  const page = await browser.person(...person)
  await page.context().addInitScript('delete window.WebSocket')
  return page
}

const ada = await alone(workroom, owner)

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const put = (path: string, body: string, key = owner.key) => request('PUT', `${tree}/${path}`, { key, body })
const onDisk = (path: string) => readFileSync(join(workroom.home, 'projects/harbour', path), 'utf8')
const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const saved = (page: Page) =>
  page
    .getByRole('status')
    .getByText(/^Saved at/)
    .waitFor()
const unsaved = (page: Page) => page.getByRole('status').getByText('Unsaved changes').waitFor()

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await text(page).waitFor()
}

/** Writes at the end of a text. */
async function write(page: Page, words: string): Promise<void> {
  await text(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(words)
}

t.test('what is written is shown beside the text as it will look, saved, and read', async (t) => {
  await put('docs/x.md', '# Tide tables\n\nHigh water.\n')
  await ada.goto('/projects/harbour/docs/tide-tables?edit')
  await text(ada).waitFor()
  t.match(ada.url(), /\/projects\/harbour\/edit\/docs\/tide-tables$/)
  await accessible(t, ada)
  await write(ada, '\n## Lows\n\nAsk @Gra')
  await ada.getByRole('option', { name: '@Grace' }).click()
  await ada.keyboard.type(', see [[Tide')
  await ada.getByRole('option', { name: /Tide tables/ }).click()
  const preview = ada.getByRole('region', { name: 'Preview' })
  await preview.getByRole('heading', { name: 'Lows' }).waitFor()
  await preview.getByRole('link', { name: 'Tide tables' }).waitFor()
  await unsaved(ada)
  const here = await workroom.eventually(async () => {
    const { json } = await request('GET', '/v1/presence?member=self')
    return json.documents[0].here.find(({ block }: { block: string | null }) => block !== null)
  })
  t.match(here, { kind: 'editing', block: /^k\w{7}$/ }, 'others are told who writes, and where')
  await button(ada, 'Save and close').click()
  await ada.waitForURL('/projects/harbour/docs/tide-tables')
  await ada.getByRole('heading', { name: 'Lows' }).waitFor()
  t.match(
    onDisk('documents/tide-tables.md'),
    /^# Tide tables\n\nHigh water\.\n\n## Lows\n\nAsk @\[Grace\]\(mem_\w+\), see \[\[n:doc_\w+\|Tide tables\]\]$/,
  )
})

t.test('what nobody changed stays as it was, byte for byte', async (t) => {
  const body =
    '---\r\n# a comment\r\ntags: [a,  b] # odd\r\n---\r\n# Odd bytes\r\n\r\n* one\n+ two\r\n\r\n\\* end'
  await put('docs/x.md', body)
  t.equal(onDisk('documents/odd-bytes.md'), body)
  await open(ada, '/projects/harbour/edit/docs/odd-bytes')
  await write(ada, ' here\nand on')
  await ada.keyboard.press('Control+s')
  await saved(ada)
  t.equal(onDisk('documents/odd-bytes.md'), `${body} here\r\nand on`)
})

t.test('buttons and keys give a text its form', async (t) => {
  await open(ada, '/projects/harbour/new?kind=draft')
  await text(ada).click()
  await ada.keyboard.type('bold')
  await ada.keyboard.press('Control+a')
  await ada.keyboard.press('Control+b')
  await button(ada, 'Italic').click()
  await ada.keyboard.press('Control+i')
  await button(ada, 'List').click()
  t.equal(await text(ada).innerText(), '- **bold**')
  await button(ada, 'List').click()
  await button(ada, 'Heading').click()
  await ada.keyboard.press('Control+a')
  await button(ada, 'Link').click()
  t.equal(await text(ada).innerText(), '[## **bold**](https://)')
  await ada.getByText('Schedule').click()
  await ada.getByLabel('Publish at').fill('2027-03-04T08:00')
  await text(ada).getByText('scheduledFor: 2027-03-04T08:00:00.000Z').waitFor()
  await text(ada).getByText('scheduledFor').click()
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
  'changes of two people that do not touch are put together, and saved over the newer one',
  async (t) => {
    await put('docs/x.md', '# Crew\n\nOne\n\nTwo\n\nThree\n')
    await open(ada, '/projects/harbour/edit/docs/crew')
    await write(ada, 'Four')
    await put('docs/crew.md', '# Crew\n\nOne and a half\n\nTwo\n\nThree\n', grace.key)
    await ada.getByText('Grace changed this document while you were editing.').waitFor()
    await button(ada, 'Keep editing').click()
    browser.expect(ada, /status of 409/)
    await ada.keyboard.press('Control+s')
    await ada
      .getByText(/Grace changed this document while you were editing\. Your changes and theirs were merged/)
      .waitFor()
    await button(ada, 'Save merged').click()
    await saved(ada)
    t.equal(onDisk('documents/crew.md'), '# Crew\n\nOne and a half\n\nTwo\n\nThree\nFour')
  },
)

t.test(
  'changes to the same lines stand beside each other until somebody says what is to stand',
  async (t) => {
    await put('docs/x.md', '# Berths\n\nNorth: 4\n\nSouth: 2\n\nWest: 1\n')
    await open(ada, '/projects/harbour/edit/docs/berths')
    await text(ada).getByText('North: 4').click()
    await ada.keyboard.press('End')
    await ada.keyboard.type('0')
    await put('docs/berths.md', '# Berths\n\nNorth: 5\n\nSouth: 2\n\nWest: 7\n', grace.key)
    await button(ada, 'Merge now').click()
    const theirs = ada.getByRole('textbox', { name: 'Grace’s version' })
    const mine = ada.getByRole('textbox', { name: 'Your version' })
    await theirs.getByText('North: 5').waitFor()
    await mine.getByText('North: 40').waitFor()
    await mine.getByText('West: 7').waitFor()
    await accessible(t, ada)
    const take = button(ada, 'Use theirs')
    t.equal(await take.count(), 1, 'what does not touch is settled already')
    await take.focus()
    await ada.keyboard.press('Enter')
    await mine.getByText('North: 5').waitFor()
    await mine.getByText('South: 2').click()
    await ada.keyboard.press('End')
    await ada.keyboard.type('0')
    await button(ada, 'Save merged').click()
    await saved(ada)
    t.equal(onDisk('documents/berths.md'), '# Berths\n\nNorth: 5\n\nSouth: 20\n\nWest: 7\n')
  },
)

for (const window of ['phone', 'laptop'] as const) {
  t.test(`an edit on the disk is not said to be by the owner who writes, on a ${window}`, async (t) => {
    await browser.resize(ada, window)
    const name = `sails-${window}`
    await put('docs/x.md', `# Sails ${window}\n\nWhite.\n`)
    const append = (line: string) =>
      appendFileSync(join(workroom.home, `projects/harbour/documents/${name}.md`), line)
    await open(ada, `/projects/harbour/edit/docs/${name}`)
    append('\nRed.\n')
    await ada
      .getByRole('status')
      .getByText('Someone with access to the disk changed this document just now')
      .waitFor()
    await text(ada).getByText('White.').click()
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
    await saved(ada)
    t.equal(onDisk(`documents/${name}.md`), `# Sails ${window}\n\nWhite. And grey.\n\nRed.\n\nBlue.\n`)
  })
}

for (const window of ['phone', 'laptop'] as const) {
  t.test(
    `on a ${window} a picture that is pasted shows how far it is, and is in the text then`,
    async (t) => {
      await browser.resize(ada, window)
      const [name, title] = [`rudder-${window}.png`, `Rudder of a ${window}`]
      const { json } = await put('docs/x.md', `# ${title}\n\nSee\n`)
      const { pathname } = new URL(json.url)
      await open(ada, pathname.replace('/docs/', '/edit/docs/'))
      const line = await slowLine(ada, '**/library/files?name=*')
      await text(ada).click()
      await ada.keyboard.press('Control+End')
      await ada.evaluate(`(() => {
      const data = new DataTransfer()
      const bytes = Uint8Array.from(atob('${pixel.toString('base64')}'), (letter) => letter.charCodeAt(0))
      data.items.add(new File([bytes], '${name}', { type: 'image/png' }))
      document.querySelector('.cm-content').dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })()`)
      await line.held
      await ada.getByRole('progressbar', { name: `Uploading ${name}` }).waitFor()
      await line.end()
      await text(ada).getByText(`![${name}](../files/${name})`).waitFor()
      t.equal(await ada.locator('.upload').count(), 0)
      const isLoaded = (image: Locator) =>
        workroom.eventually(() =>
          image.evaluate((one: unknown) => (one as { naturalWidth: number }).naturalWidth === 1),
        )
      if (window === 'phone') await button(ada, 'Preview').click()
      await isLoaded(ada.getByRole('region', { name: 'Preview' }).getByRole('img', { name }))
      await button(ada, 'Save and close').click()
      await ada.waitForURL(pathname)
      await isLoaded(ada.getByRole('main').getByRole('img', { name }))
      t.ok(await ada.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'))
      await request('DELETE', `${tree}/library/files/${name}`)
    },
  )
}

t.test('a change by somebody else is shown at once where nothing is unsaved', async (t) => {
  await put('docs/x.md', '# Log\n\nQuiet.\n')
  await open(ada, '/projects/harbour/edit/docs/log')
  await put('docs/log.md', '# Captain’s log\n\nStorm.\n', grace.key)
  await text(ada).getByText('Storm.').waitFor()
  await ada.getByText('Grace changed this document just now').waitFor()
  await ada.getByRole('heading', { name: 'Captain’s log', level: 1, exact: true }).first().waitFor()
  await ada.waitForURL('/projects/harbour/edit/docs/captain-s-log')
  t.strictSame(await text(ada).locator('.cm-line').allTextContents(), ['# Captain’s log', '', 'Storm.', ''])
})

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

t.test('what is deleted while somebody writes can be saved as something new', async (t) => {
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await put('docs/guides/x.md', '# Gone\n\nText.\n')
  await open(page, '/projects/harbour/edit/docs/guides/gone')
  await write(page, 'More.')
  await request('DELETE', `${tree}/docs/guides/gone.md`)
  await page
    .getByRole('alert')
    .getByText('You deleted this document. Your text is kept in the editor.')
    .waitFor()
  await button(page, 'Save as new').click()
  await saved(page)
  t.equal(onDisk('documents/guides/gone.md'), '# Gone\n\nText.\nMore.')
})

t.test('what is published while somebody writes can be saved as a new draft', async (t) => {
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/new?kind=draft')
  await page.getByLabel('Title').fill('Soon')
  await write(page, 'Now.')
  await button(page, 'Save').click()
  await saved(page)
  t.match(page.url(), /\/edit\/drafts\/[\d-]+-soon$/)
  await write(page, ' More.')
  const [draft] = (await request('GET', `${tree}/drafts`)).json.posts
  await request('POST', `${draft.path}/_publish`)
  await page.getByText('This draft has been published and can no longer be changed.').waitFor()
  await button(page, 'Save as a new draft').click()
  await saved(page)
  const [again] = (await request('GET', `${tree}/drafts`)).json.posts
  t.not(again.id, draft.id)
  t.match((await request('GET', again.path)).text, /\n# Soon\n\nNow\. More\.$/)
  await open(page, '/projects/harbour/new?kind=document&folder=guides')
  await request('DELETE', again.path)
  await page.getByLabel('Title').fill('Moorings')
  await button(page, 'Save and close').click()
  await page.waitForURL('/projects/harbour/docs/guides/moorings')
})

t.test('a new card has its fields in its frontmatter, and a card on a phone can be changed', async (t) => {
  const phone = await alone(workroom, grace, { window: 'phone', colorScheme: 'dark' })
  t.teardown(() => phone.context().close())
  await open(phone, '/projects/harbour/new?kind=card&column=02-todo')
  await phone.getByLabel('Title').fill('Paint the crane')
  await phone.getByLabel('Column').selectOption('Triage')
  await phone.getByLabel('Priority').selectOption('High')
  await phone.getByLabel('Labels').fill('paint, crane')
  await phone.getByRole('checkbox', { name: 'Grace' }).check()
  await text(phone).getByText('assignees: [Grace]').waitFor()
  await accessible(t, phone)
  t.equal(await phone.evaluate<number>('document.documentElement.scrollWidth'), 375)
  await button(phone, 'Save').click()
  await saved(phone)
  const file = 'board/01-triage/0001-paint-the-crane.md'
  t.equal(
    onDisk(file),
    '---\npriority: high\nlabels: [paint, crane]\nassignees: [Grace]\n---\n# Paint the crane\n\n',
  )
  t.match(phone.url(), /\/projects\/harbour\/edit\/board\/1$/)
  await phone.getByLabel('Due').fill('2027-03-04')
  await text(phone).getByText('due: 2027-03-04').waitFor()
  await button(phone, 'Preview').click()
  await phone
    .getByRole('region', { name: 'Preview' })
    .getByRole('heading', { name: 'Paint the crane' })
    .waitFor()
  await put(file, onDisk(file).replace('[Grace]', '[]'))
  await button(phone, 'Merge now').click()
  await button(phone, 'Use theirs').waitFor()
  await accessible(t, phone)
  await button(phone, 'Keep mine').click()
  await button(phone, 'Save merged').click()
  await saved(phone)
  await button(phone, 'Save and close').click()
  await phone.waitForURL('/projects/harbour/board/1')
  t.match(onDisk(file), /\nassignees: \[Grace\]\ndue: 2027-03-04\n---\n/)
})

t.test('a post is written, given a picture, and published', async (t) => {
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/new?kind=post')
  await page.getByLabel('Title').fill('The crane is red')
  await write(page, 'Look: ')
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'red crane.png', mimeType: 'image/png', buffer: pixel })
  await text(page).getByText('![red crane.png](red%20crane.png)').waitFor()
  await page.getByRole('region', { name: 'Preview' }).getByRole('img', { name: 'red crane.png' }).waitFor()
  for (const [type, name] of [
    ['drop', 'dropped.txt'],
    ['paste', 'pasted.txt'],
  ]) {
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['Its words'], '${name}', { type: 'text/plain' }))
      const options = { bubbles: true, cancelable: true }
      document.querySelector('.cm-content').dispatchEvent('${type}' === 'drop'
        ? new DragEvent('drop', { dataTransfer: data, ...options })
        : new ClipboardEvent('paste', { clipboardData: data, ...options }))
    })()`)
    await text(page).getByText(`[${name}](${name})`).waitFor()
    t.notMatch(await text(page).innerText(), 'Its words', 'the link alone is in the text')
  }
  // What is heard of the last save is looked at when the draft may have become the post.
  browser.expect(page, /status of 404 .*\/drafts\//)
  await button(page, 'Publish').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL('/projects/harbour/posts/*the-crane-is-red')
  await page.getByRole('img', { name: 'red crane.png' }).waitFor()
  t.strictSame((await request('GET', `${tree}/drafts`)).json.posts, [], 'the draft is the post now')
})

t.test('an upload that is cancelled leaves nothing in the text, and holds up no save', async (t) => {
  await put('docs/x.md', '# Capstan\n\nSee\n')
  const page = await alone(workroom, owner, { window: 'phone' })
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/edit/docs/capstan')
  const line = await slowLine(page, '**/library/files?name=*')
  browser.expect(page, /ERR_ABORTED|ERR_FAILED/)
  await text(page).click()
  await page.keyboard.press('Control+End')
  await page.evaluate(`(() => {
    const data = new DataTransfer()
    data.items.add(new File(['x'.repeat(100000)], 'capstan.txt', { type: 'text/plain' }))
    document.querySelector('.cm-content').dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })()`)
  await line.held
  await page.getByRole('progressbar', { name: 'Uploading capstan.txt' }).waitFor()
  await accessible(t, page)
  // The browser has ended the request before it could be let through.
  const ended = page.waitForEvent('requestfailed')
  await button(page, 'Cancel the upload of capstan.txt').click()
  t.equal(await page.locator('.upload').count(), 0)
  await ended
  await line.end()
  await page.keyboard.type(' it turn')
  await button(page, 'Save and close').click()
  await page.waitForURL('/projects/harbour/docs/capstan')
  t.equal(onDisk('documents/capstan.md'), '# Capstan\n\nSee\n it turn')
  t.strictSame((await request('GET', `${tree}/library/files`)).json.files, [])
})

t.test('without script a text can be read, and the page says how it is changed', async (t) => {
  const page = await alone(workroom, grace, { javaScriptEnabled: false })
  t.teardown(() => page.context().close())
  await put('docs/x.md', '# Plain\n\nAs it stands.\n')
  await page.goto('/projects/harbour/edit/docs/plain')
  t.match(await page.getByLabel('Source').inputValue(), /As it stands\./)
  t.match(await page.locator('.editor .notice').innerText(), /The editor requires JavaScript/)
})

/** Holds what matches until it is let go, as on a slow line. */
async function slowLine(
  page: Page,
  what: RegExp | string,
): Promise<{ held: Promise<unknown>; end(): Promise<void> }> {
  const ending = new AbortController()
  const holding = new AbortController()
  const held = once(holding.signal, 'abort')
  const passing: Promise<void>[] = []
  const hold = async (route: Route) => {
    holding.abort()
    if (!ending.signal.aborted) await once(ending.signal, 'abort')
    await route.continue()
  }
  await page.route(what, (route) => {
    const passed = hold(route)
    passing.push(passed)
    return passed
  })
  return {
    held,
    async end() {
      ending.abort()
      await Promise.all(passing)
      await page.unroute(what)
    },
  }
}

const isWrite = /\/documents\/[^?]*\.md$/
const isRead = /\?revision=/

for (const window of ['phone', 'laptop'] as const) {
  t.test(
    `on a ${window} what is written until two texts are compared is in them, and each is chosen`,
    async (t) => {
      const name = `lamps-of-the-${window}`
      const title = `# Lamps of the ${window}`
      await put('docs/x.md', `${title}\n\nNorth: 4\n\nEnd\n`)
      const page = await alone(workroom, owner, { window })
      t.teardown(() => page.context().close())
      await open(page, `/projects/harbour/edit/docs/${name}`)
      await text(page).getByText('North: 4').click()
      await page.keyboard.press('End')
      await page.keyboard.type('0')
      const line = await slowLine(page, /comparison-\w+\.js$/)
      await put(`docs/${name}.md`, `${title}\n\nNorth: 5\n\nEnd\n`, grace.key)
      await button(page, 'Merge now').click()
      await line.held
      await write(page, 'Written meanwhile')
      await line.end()
      await page.getByRole('textbox', { name: 'Your version' }).getByText('Written meanwhile').waitFor()
      await button(page, 'Save merged').click()
      await page.getByText('Choose your version or theirs first: 1 conflict is left.').waitFor()
      const theirs = `${title}\n\nNorth: 5\n\nEnd\n`
      t.equal(onDisk(`documents/${name}.md`), theirs, 'nothing is saved without a choice')
      await button(page, 'Keep mine').click()
      await button(page, 'Save merged').click()
      await saved(page)
      t.equal(onDisk(`documents/${name}.md`), `${title}\n\nNorth: 40\n\nEnd\nWritten meanwhile`)
    },
  )
}

t.test(
  'the page waits for what is being uploaded, and asks before it goes without a link to it',
  async (t) => {
    await put('docs/x.md', '# Gangway\n\nSee\n')
    const page = await alone(workroom, owner)
    t.teardown(() => page.context().close())
    await open(page, '/projects/harbour/edit/docs/gangway')
    await text(page).click()
    await page.keyboard.press('Control+End')
    const files = page.locator('input[type="file"]')
    const sketch = { name: 'sketch.txt', mimeType: 'text/plain', buffer: Buffer.from('A sketch') }
    const isUpload = '**/library/files?name=*'
    const line = await slowLine(page, isUpload)
    await files.setInputFiles(sketch)
    await line.held
    await page.getByRole('link', { name: 'Close', exact: true }).click()
    await page.getByRole('dialog').getByText('Close before the upload finishes?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await button(page, 'Save and close').click()
    await line.end()
    await page.waitForURL('/projects/harbour/docs/gangway')
    t.match(onDisk('documents/gangway.md'), /See\n*\[sketch\.txt\]\(\.\.\/files\/sketch\.txt\)/)

    await open(page, '/projects/harbour/edit/docs/gangway')
    const refusal = new AbortController()
    const isRefused = once(refusal.signal, 'abort')
    await page.route(isUpload, async (route) => {
      await isRefused
      await route.fulfill({
        status: 507,
        json: { error: 'insufficient_storage', message: 'The disk is full.' },
      })
    })
    browser.expect(page, /status of 507/)
    await files.setInputFiles(sketch)
    await button(page, 'Save and close').click()
    refusal.abort()
    await page.getByRole('alert').getByText('The disk is full.').waitFor()
    t.match(page.url(), /\/edit\/docs\/gangway$/, 'it stays where it is said what could not be uploaded')
    await button(page, 'Save and close').click()
    await page.waitForURL('/projects/harbour/docs/gangway')
  },
)

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

t.test('the home page of a project is written by two, and neither loses a word', async (t) => {
  const page = await alone(workroom, owner)
  const other = await alone(workroom, grace)
  t.teardown(() => Promise.all([page, other].map((one) => one.context().close())))
  await page.goto('/projects/harbour')
  await page.getByRole('link', { name: 'Edit it' }).click()
  await page.waitForURL('/projects/harbour/edit')
  await other.goto('/projects/harbour/edit')
  const words = (one: Page) => one.getByLabel('Purpose, people')
  await words(page).fill('# Harbour\n\nWhat Ada wrote.\n')
  await words(other).fill('# Harbour\n\nWhat Grace wrote.\n')
  await button(page, 'Save').click()
  await page.waitForURL('/projects/harbour')
  await page.getByText('What Ada wrote.').waitFor()
  browser.expect(other, /status of 409/)
  await button(other, 'Save').click()
  await other.getByRole('alert').getByText('Someone else has changed the home page').waitFor()
  await other.locator('.saved').getByText('What Ada wrote.').waitFor()
  t.equal(await words(other).inputValue(), '# Harbour\n\nWhat Grace wrote.\n')
  await words(other).fill('# Harbour\n\nWhat Ada and Grace wrote.\n')
  await button(other, 'Save').click()
  await other.waitForURL('/projects/harbour')
  await page.getByText('What Ada and Grace wrote.').waitFor()
  t.equal(onDisk('README.md'), '# Harbour\n\nWhat Ada and Grace wrote.\n')
})

t.test('what is taken back can be undone where something newer was written', async (t) => {
  await put('docs/x.md', '# Winch\n\nNorth: 4\n')
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/edit/docs/winch')
  await write(page, 'Not saved')
  await workroom.eventually(() =>
    page.evaluate<boolean>('JSON.stringify(localStorage).includes("Not saved")'),
  )
  await put('docs/winch.md', '# Winch\n\nNorth: 4\nTheirs', grace.key)
  browser.expect(page, /A dialog says: /)
  const asked = page.waitForEvent('dialog')
  void page.close({ runBeforeUnload: true })
  await asked
  const again = await page.context().newPage()
  await open(again, '/projects/harbour/edit/docs/winch')
  await write(again, ' and newer')
  await button(again, 'Restore').click()
  const mine = again.getByRole('textbox', { name: 'Your version' })
  await mine.getByText('Not saved').waitFor()
  await button(again, 'Back to editing').click()
  await text(again).getByText('Not saved').waitFor()
  await again.keyboard.press('Control+z')
  await text(again).getByText('Theirs and newer').waitFor()
  t.equal(await text(again).getByText('Not saved').count(), 0)
  await button(again, 'Save').click()
  await saved(again)
  t.equal(onDisk('documents/winch.md'), '# Winch\n\nNorth: 4\nTheirs and newer')
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

t.test('what is chosen in a field before its script has come is not lost', async (t) => {
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  const line = await slowLine(page, /frontmatter-\w+\.js$/)
  await open(page, '/projects/harbour/new?kind=card')
  await line.held
  await page.getByLabel('Labels').fill('paint, crane')
  await page.getByLabel('Title').fill('Paint the mast')
  await line.end()
  await text(page).getByText('labels: [paint, crane]').waitFor()
  t.equal(await page.getByLabel('Labels').inputValue(), 'paint, crane')
})

t.test('a field that is still being written in is saved with the text', async (t) => {
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/new?kind=card')
  await page.getByLabel('Title').fill('Paint the boom')
  await page.getByLabel('Labels').pressSequentially('paint')
  await page.keyboard.press('Control+s')
  await saved(page)
  await text(page).getByText('labels: [paint]').waitFor()
  t.equal(await page.getByRole('status').getByText('Unsaved changes').count(), 0)
})

t.test('whom a post would not reach is said while it is written, and before it is published', async (t) => {
  await workroom.addMember({ name: 'Lookout', type: 'agent' })
  const page = await alone(workroom, owner)
  await page.goto('/projects/harbour/new?kind=post')
  await page.getByLabel('Title').fill('Storm')
  await write(page, 'Careful, @Lookout.')
  const notice = page.locator('.editor-news')
  await notice.getByText('Lookout is not in the project harbour').waitFor()
  await accessible(t, page)
  await button(page, 'Publish').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Lookout is not in the project harbour').waitFor()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL(/\/posts\/.*storm$/)
  await page.locator('#unreached').getByText('Lookout').waitFor()
})

t.test('a link that is shown can be chosen while more letters of it are looked up', async (t) => {
  await put('docs/x.md', '# Neap tides\n')
  await put('docs/x.md', '# Tugs\n\nSee\n')
  const page = await alone(workroom, owner)
  t.teardown(() => page.context().close())
  await open(page, '/projects/harbour/edit/docs/tugs')
  await write(page, 'See [[Neap ti')
  const option = page.getByRole('option', { name: /Neap tides/ })
  await option.waitFor()
  const line = await slowLine(page, /\/refs\?q=/)
  await page.keyboard.type('d')
  await option.click()
  await text(page)
    .getByText(/See \[\[n:doc_\w+\|Neap tides\]\]$/)
    .waitFor()
  await line.end()
})
