import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { defaultConfig } from '../../../../core/config.ts'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t, {
  config: { limits: { ...defaultConfig.limits, uploadBytes: 5000 } },
})
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await browser.openPageAs(workroom, workroom.owner)
const phone = await browser.openPageAs(workroom, grace, { window: 'phone', colorScheme: 'dark' })

const button = (page: Page, name: string) => page.getByRole('button', { name })
const main = (page: Page) => page.getByRole('main')

t.test('files are uploaded by button and by drop, and are listed in every open browser', async (t) => {
  await Promise.all([ada.goto('/projects/general/files'), phone.goto('/projects/general/files')])
  await main(phone).getByText('No files yet.').waitFor()
  const file = (name: string, size: number) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.alloc(size, 'x'),
  })
  await ada.getByLabel('Upload files').setInputFiles([file('one.txt', 100), file('two.txt', 2000)])
  await main(phone).getByRole('link', { name: 'two.txt' }).waitFor()
  await main(ada).getByRole('link', { name: 'one.txt' }).waitFor()
  await workroom.eventually(async () => (await ada.locator('.upload').count()) === 0)
  t.pass('a finished upload shows no progress')
  const drag = (type: string, size = 10) =>
    ada.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'.repeat(${size})], 'dropped.txt', { type: 'text/plain' }))
      document.querySelector('h1').dispatchEvent(new DragEvent('${type}', { dataTransfer, bubbles: true, cancelable: true }))
    })()`)
  await drag('dragenter')
  t.match(await ada.locator('body').getAttribute('class'), 'dropping')
  await drag('drop')
  await main(phone).getByRole('link', { name: 'dropped.txt' }).waitFor()
  t.notMatch(await ada.locator('body').getAttribute('class'), 'dropping')
  browser.expectError(ada, /status of 413/)
  await drag('drop', 6000)
  t.match(await ada.locator('.upload').getByRole('alert').textContent(), /large|5/)
  browser.expectError(phone, /status of 413/)
  await phone.getByLabel('Upload files').setInputFiles([file('big.bin', 6000)])
  await phone.locator('.upload').getByRole('alert').waitFor()
  for (const page of [ada, phone]) {
    const { height } = (await page.locator('.upload bdi').boundingBox())!
    t.ok(height > 0 && height < 32, `the name is on one line: ${height} pixels`)
  }
  await button(phone, 'Dismiss').click()
  await button(ada, 'Dismiss').click()
  await button(ada, 'Delete one.txt').click()
  await ada.locator('dialog').getByRole('button', { name: 'Delete' }).click()
  await main(phone).getByRole('link', { name: 'one.txt' }).waitFor({ state: 'detached' })
  await button(ada, 'Undo').click()
  await main(phone).getByRole('link', { name: 'one.txt' }).waitFor()
})

t.test(
  'files chosen before the page’s script has loaded are uploaded once the script has loaded',
  async () => {
    const chosen = new AbortController()
    await ada.route(/files-\w+\.js$/, async (route) => {
      if (!chosen.signal.aborted) await once(chosen.signal, 'abort')
      await route.continue()
    })
    await ada.goto('/projects/general/files', { waitUntil: 'load' })
    await ada
      .getByLabel('Upload files')
      .setInputFiles({ name: 'early.txt', mimeType: 'text/plain', buffer: Buffer.from('early') })
    chosen.abort()
    await ada.unrouteAll({ behavior: 'wait' })
    await main(ada).getByRole('link', { name: 'early.txt' }).waitFor()
  },
)

t.test('the progress of an upload is shown until the file is stored', async (t) => {
  const [sent, released] = [new AbortController(), new AbortController()]
  const [isSent, isReleased] = [once(sent.signal, 'abort'), once(released.signal, 'abort')]
  await ada.route(
    '**/library/files?name=*',
    async (route) => {
      sent.abort()
      await isReleased
      await route.continue()
    },
    { times: 1 },
  )
  await ada
    .getByLabel('Upload files')
    .setInputFiles({ name: 'slow (1).txt', mimeType: 'text/plain', buffer: Buffer.from('at last') })
  await isSent
  const bar = ada.getByRole('progressbar', { name: 'Uploading slow (1).txt' })
  await bar.waitFor()
  t.equal(await ada.locator('.upload').innerText(), 'slow (1).txt\nCancel')
  t.equal(await main(ada).getByRole('link', { name: 'slow (1).txt' }).count(), 0)
  await checkAccessibility(t, ada)
  released.abort()
  await main(ada).getByRole('link', { name: 'slow (1).txt' }).waitFor()
  await bar.waitFor({ state: 'detached' })
  t.equal(readFileSync(join(workroom.home, 'projects/general/files/slow (1).txt'), 'utf8'), 'at last')
})
