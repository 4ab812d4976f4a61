import { once } from 'node:events'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { button, openEditor, openEditorPages, textbox, typeAtEnd } from '../../../support/editor-pages.ts'
import { holdRequests, interceptRequests } from '../../../support/intercepted-requests.ts'
import { overflowWidth } from '../../../support/page-structure.ts'

const { personWithoutSockets, browser, readFile, put, tree, workroom } = await openEditorPages(t)
const { owner, request } = workroom
const page = await personWithoutSockets(workroom, owner)
const uploads = '*/library/files?name=*'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const sketch = { name: 'sketch.txt', mimeType: 'text/plain', buffer: Buffer.from('A sketch') }

/** Pastes a file into the text, or drops it there. */
const give = (
  on: Page,
  event: 'paste' | 'drop',
  { name, mimeType, buffer }: { name: string; mimeType: string; buffer: Buffer },
) =>
  on.evaluate(`(() => {
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${buffer.toString('base64')}'), (letter) => letter.charCodeAt(0))
    data.items.add(new File([bytes], '${name}', { type: '${mimeType}' }))
    const options = { bubbles: true, cancelable: true }
    document.querySelector('.cm-content').dispatchEvent('${event}' === 'drop'
      ? new DragEvent('drop', { dataTransfer: data, ...options })
      : new ClipboardEvent('paste', { clipboardData: data, ...options }))
  })()`)

const waitUntilLoaded = (image: Locator) =>
  workroom.eventually(() =>
    image.evaluate((one: unknown) => (one as { naturalWidth: number }).naturalWidth === 1),
  )

t.test('a pasted picture shows its progress, and is then linked in the text and shown', async (t) => {
  await put('docs/x.md', '# Rudder\n\nSee\n')
  await openEditor(page, '/projects/harbour/edit/docs/rudder')
  const line = await holdRequests(page, uploads)
  await textbox(page).click()
  await page.keyboard.press('Control+End')
  await give(page, 'paste', { name: 'rudder.png', mimeType: 'image/png', buffer: pixel })
  await line.held
  await page.getByRole('progressbar', { name: 'Uploading rudder.png' }).waitFor()
  await line.release()
  await textbox(page).getByText('![rudder.png](../files/rudder.png)').waitFor()
  t.equal(await page.locator('.upload').count(), 0)
  const picture = { name: 'rudder.png' }
  await waitUntilLoaded(page.getByRole('region', { name: 'Preview' }).getByRole('img', picture))
  await button(page, 'Save and close').click()
  await page.waitForURL('/projects/harbour/docs/rudder')
  await waitUntilLoaded(page.getByRole('main').getByRole('img', picture))
  t.ok((await overflowWidth(page)) <= 0, 'on a laptop')
  await browser.resize(page, 'phone')
  t.ok((await overflowWidth(page)) <= 0, 'on a phone')
  await browser.resize(page, 'laptop')
})

t.test('a post is published with files that were added by button, drop and paste', async (t) => {
  await openEditor(page, '/projects/harbour/new?kind=post')
  await page.getByLabel('Title').fill('The crane is red')
  await typeAtEnd(page, 'Look: ')
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'red crane.png', mimeType: 'image/png', buffer: pixel })
  await textbox(page).getByText('![red crane.png](red%20crane.png)').waitFor()
  await page.getByRole('region', { name: 'Preview' }).getByRole('img', { name: 'red crane.png' }).waitFor()
  for (const [event, name] of [
    ['drop', 'dropped.txt'],
    ['paste', 'pasted.txt'],
  ] as const) {
    await give(page, event, { name, mimeType: 'text/plain', buffer: Buffer.from('Its words') })
    await textbox(page).getByText(`[${name}](${name})`).waitFor()
    t.notMatch(await textbox(page).innerText(), 'Its words', 'only the link is in the text')
  }
  // The event of the last save may fetch the draft when it has become the post already.
  browser.expectError(page, /status of 404 .*\/drafts\//)
  await button(page, 'Publish').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL('/projects/harbour/posts/*the-crane-is-red')
  await page.getByRole('img', { name: 'red crane.png' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'pasted.txt' }).first().waitFor()
  t.strictSame((await request('GET', `${tree}/drafts`)).json.posts, [], 'the draft has become the post')
})

t.test(
  'a cancelled upload leaves nothing in the text and delays no save, which waits for a running one',
  async (t) => {
    await put('docs/x.md', '# Capstan\n\nSee\n')
    await openEditor(page, '/projects/harbour/edit/docs/capstan')
    const files = async () =>
      (await request('GET', `${tree}/library/files`)).json.files.map(({ name }: { name: string }) => name)
    const before = await files()
    const line = await holdRequests(page, uploads)
    browser.expectError(page, /ERR_ABORTED|ERR_FAILED/)
    await textbox(page).click()
    await page.keyboard.press('Control+End')
    await give(page, 'paste', {
      name: 'capstan.txt',
      mimeType: 'text/plain',
      buffer: Buffer.alloc(100_000, 'x'),
    })
    await line.held
    await page.getByRole('progressbar', { name: 'Uploading capstan.txt' }).waitFor()
    await checkAccessibility(t, page)
    const ended = page.waitForEvent('requestfailed')
    await button(page, 'Cancel the upload of capstan.txt').click()
    t.equal(await page.locator('.upload').count(), 0)
    await ended
    t.strictSame(await files(), before)

    await page.locator('input[type="file"]').setInputFiles(sketch)
    await page.getByRole('progressbar', { name: 'Uploading sketch.txt' }).waitFor()
    await page.getByRole('link', { name: 'Close', exact: true }).click()
    await page.getByRole('dialog').getByText('Close before the upload finishes?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await textbox(page).getByText('See').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' it turn')
    await button(page, 'Save and close').click()
    await line.release()
    await page.waitForURL('/projects/harbour/docs/capstan')
    t.match(
      readFile('documents/capstan.md'),
      /^# Capstan\n\nSee it turn\n*\[sketch\.txt\]\(\.\.\/files\/sketch\.txt\)$/,
    )
  },
)

t.test('an upload that fails is shown, and keeps Save and close from leaving the page once', async (t) => {
  await put('docs/x.md', '# Gangway\n\nSee\n')
  await openEditor(page, '/projects/harbour/edit/docs/gangway')
  const isClosing = new AbortController()
  const end = await interceptRequests(page, uploads, async (upload) => {
    if (!isClosing.signal.aborted) await once(isClosing.signal, 'abort')
    await upload.answer(507, { error: 'insufficient_storage', message: 'The disk is full.' })
  })
  browser.expectError(page, /status of 507/)
  await page.locator('input[type="file"]').setInputFiles(sketch)
  await button(page, 'Save and close').click()
  isClosing.abort()
  await page.getByRole('alert').getByText('The disk is full.').waitFor()
  t.match(page.url(), /\/edit\/docs\/gangway$/, 'the page with the error stays')
  await button(page, 'Save and close').click()
  await page.waitForURL('/projects/harbour/docs/gangway')
  await end()
})
