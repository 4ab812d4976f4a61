import { once } from 'node:events'
import type { Locator } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import {
  button,
  delayRequests,
  openEditor,
  openEditorPages,
  textbox,
  typeAtEnd,
} from '../../../support/editor-pages.ts'

const { personWithoutSockets, browser, readFile, put, tree, workroom } = await openEditorPages(t)
const { owner, request } = workroom
const ada = await personWithoutSockets(workroom, owner)

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

for (const window of ['phone', 'laptop'] as const) {
  t.test(`on a ${window} a pasted picture shows its progress, and is then linked in the text`, async (t) => {
    await browser.resize(ada, window)
    const [name, title] = [`rudder-${window}.png`, `Rudder of a ${window}`]
    const { json } = await put('docs/x.md', `# ${title}\n\nSee\n`)
    const { pathname } = new URL(json.url)
    await openEditor(ada, pathname.replace('/docs/', '/edit/docs/'))
    const line = await delayRequests(ada, '**/library/files?name=*')
    await textbox(ada).click()
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
    await textbox(ada).getByText(`![${name}](../files/${name})`).waitFor()
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
  })
}

t.test('a post is published with files that were added by button, drop and paste', async (t) => {
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/new?kind=post')
  await page.getByLabel('Title').fill('The crane is red')
  await typeAtEnd(page, 'Look: ')
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'red crane.png', mimeType: 'image/png', buffer: pixel })
  await textbox(page).getByText('![red crane.png](red%20crane.png)').waitFor()
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
    await textbox(page).getByText(`[${name}](${name})`).waitFor()
    t.notMatch(await textbox(page).innerText(), 'Its words', 'only the link is in the text')
  }
  // The event of the last save may fetch the draft when it has become the post already.
  browser.expectError(page, /status of 404 .*\/drafts\//)
  await button(page, 'Publish').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL('/projects/harbour/posts/*the-crane-is-red')
  await page.getByRole('img', { name: 'red crane.png' }).waitFor()
  t.strictSame((await request('GET', `${tree}/drafts`)).json.posts, [], 'the draft has become the post')
})

t.test('a cancelled upload leaves nothing in the text and delays no save', async (t) => {
  await put('docs/x.md', '# Capstan\n\nSee\n')
  const page = await personWithoutSockets(workroom, owner, { window: 'phone' })
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/edit/docs/capstan')
  const line = await delayRequests(page, '**/library/files?name=*')
  browser.expectError(page, /ERR_ABORTED|ERR_FAILED/)
  await textbox(page).click()
  await page.keyboard.press('Control+End')
  await page.evaluate(`(() => {
    const data = new DataTransfer()
    data.items.add(new File(['x'.repeat(100000)], 'capstan.txt', { type: 'text/plain' }))
    document.querySelector('.cm-content').dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })()`)
  await line.held
  await page.getByRole('progressbar', { name: 'Uploading capstan.txt' }).waitFor()
  await checkAccessibility(t, page)
  // The browser must have ended the request before `line` lets it through.
  const ended = page.waitForEvent('requestfailed')
  await button(page, 'Cancel the upload of capstan.txt').click()
  t.equal(await page.locator('.upload').count(), 0)
  await ended
  await line.end()
  await page.keyboard.type(' it turn')
  await button(page, 'Save and close').click()
  await page.waitForURL('/projects/harbour/docs/capstan')
  t.equal(readFile('documents/capstan.md'), '# Capstan\n\nSee\n it turn')
  t.strictSame((await request('GET', `${tree}/library/files`)).json.files, [])
})

t.test('saving waits for a running upload, and closing during one asks first', async (t) => {
  await put('docs/x.md', '# Gangway\n\nSee\n')
  const page = await personWithoutSockets(workroom, owner)
  t.teardown(() => page.context().close())
  await openEditor(page, '/projects/harbour/edit/docs/gangway')
  await textbox(page).click()
  await page.keyboard.press('Control+End')
  const files = page.locator('input[type="file"]')
  const sketch = { name: 'sketch.txt', mimeType: 'text/plain', buffer: Buffer.from('A sketch') }
  const isUpload = '**/library/files?name=*'
  const line = await delayRequests(page, isUpload)
  await files.setInputFiles(sketch)
  await line.held
  await page.getByRole('link', { name: 'Close', exact: true }).click()
  await page.getByRole('dialog').getByText('Close before the upload finishes?').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await button(page, 'Save and close').click()
  await line.end()
  await page.waitForURL('/projects/harbour/docs/gangway')
  t.match(readFile('documents/gangway.md'), /See\n*\[sketch\.txt\]\(\.\.\/files\/sketch\.txt\)/)

  await openEditor(page, '/projects/harbour/edit/docs/gangway')
  const refusal = new AbortController()
  const isRefused = once(refusal.signal, 'abort')
  await page.route(isUpload, async (route) => {
    await isRefused
    await route.fulfill({
      status: 507,
      json: { error: 'insufficient_storage', message: 'The disk is full.' },
    })
  })
  browser.expectError(page, /status of 507/)
  await files.setInputFiles(sketch)
  await button(page, 'Save and close').click()
  refusal.abort()
  await page.getByRole('alert').getByText('The disk is full.').waitFor()
  t.match(page.url(), /\/edit\/docs\/gangway$/, 'the page with the error stays')
  await button(page, 'Save and close').click()
  await page.waitForURL('/projects/harbour/docs/gangway')
})
