import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { bidi, makeHostile } from '../../../support/hostile-sample.ts'
import { PageInspector } from '../../../support/page-inspector.ts'
import { pageStructure } from '../../../support/page-structure.ts'
import { waitForRoom } from '../../../support/room-pages.ts'
import { openSample } from '../../../support/sample-workspace.ts'
import { ScriptlessBrowser } from '../../../support/scriptless-browser.ts'

const browser = await openBrowser(t)
const sample = await openSample(t)
const { ada } = sample.people
const hostile = await makeHostile(sample)
const inspector = new PageInspector(browser, sample)

for (const page of hostile) {
  // `every-page.test.ts` checks pages of the same kinds for accessibility.
  t.test(`${page.name} is complete and harmless, on a phone and on a laptop`, (t) =>
    inspector.inspect(t, page, { isForEverybody: false }),
  )
}

t.test('hostile names and texts that scripts show stay text, and each is isolated', async (t) => {
  const page = await browser.openPageAs(sample, ada)
  const pathOf = (name: string) => hostile.find((one) => one.name === name)!.path
  const isHarmless = async (where: string) => t.strictSame((await pageStructure(page)).harm, [], where)
  const isApart = async (names: string, where: string) => {
    const all = `[...document.querySelectorAll(${JSON.stringify(names)})]`
    const held = await page.evaluate<string[]>(`${all}.map((one) => getComputedStyle(one).unicodeBidi)`)
    t.ok(held.length > 0 && held.every((one) => /isolate|plaintext/.test(one)), `${where}: ${held}`)
    await isHarmless(where)
  }

  await page.goto(pathOf('hostile-document'))
  const here = page.getByRole('list', { name: 'Here now' })
  await here.getByText('evil').waitFor({ state: 'attached' })
  await isApart('.here bdi', 'members with the document open')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Move to trash' }).click()
  const dialog = page.getByRole('dialog')
  t.match(await dialog.innerText(), /“\u2068\u202Eevil\u2069”/, 'a question isolates the name')
  await isHarmless('the question')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.goto(pathOf('hostile-member'))
  await page.getByRole('button', { name: 'Deactivate' }).click()
  t.match(await dialog.innerText(), /Deactivate \u2068\u202Eevil\u2069\?/)
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await page.keyboard.press('/')
  for (const words of ['evil', 'script', 'img src']) {
    await page.locator('#finder').fill(words)
    const found = page
      .getByRole('listbox', { name: 'Results' })
      .getByRole('option')
      .filter({ hasText: words })
    await found.first().waitFor()
    await isApart('#found [role=option] bdi', `results for ${words}`)
  }

  await page.goto(`/rooms/${sample.ids.release}`)
  await waitForRoom(page)
  const composer = page.locator('form[data-composer] textarea').first()
  await composer.click()
  for (const words of [bidi, '<scr', '">']) {
    await composer.fill('')
    await page.keyboard.type(`@${words}`)
    await page.getByRole('listbox', { name: 'Members' }).getByRole('option').first().waitFor()
    await isApart('.completion [role=option] bdi', `completions of @${words}`)
    await page.keyboard.press('Escape')
  }
  await composer.fill('')

  await page.goto(pathOf('hostile-edit'))
  const preview = page.locator('.editor-preview')
  await preview.getByText('hacked=1').first().waitFor()
  await isHarmless('the preview')
  await page.locator('.cm-content').press('Control+End')
  for (const begun of ['@', '[[hacked']) {
    await page.keyboard.insertText('\n\n')
    await page.keyboard.type(begun)
    const offered = page.locator('.cm-tooltip-autocomplete li').filter({ hasText: /evil|hacked/ })
    await offered.first().waitFor()
    await isApart('.cm-completionLabel', `completions of ${begun}`)
    await page.keyboard.press('Escape')
  }
  await preview.getByText('[[hacked').waitFor()
  await isHarmless('the preview of the text typed')
  await page.close()
})

t.test('an uploaded file runs no script, and only a harmless type is shown in place', async (t) => {
  const reader = await new ScriptlessBrowser(sample).signIn(ada.key)
  const { json } = await sample.request('GET', '/v1/fs/projects/harbour/library/files')
  const names: string[] = json.files.map(({ name }: { name: string }) => name)
  for (const name of names) {
    const { status, headers } = await reader.open(`/projects/harbour/files/${encodeURIComponent(name)}`)
    t.equal(status, 200, name)
    t.match(headers['content-security-policy'], /default-src 'none'.*sandbox/)
    t.match(headers['content-disposition'], /\.(?:png|txt)$/.test(name) ? /^inline/ : /^attachment/)
  }
  t.ok(names.some((name) => /\.html$/.test(name)) && names.some((name) => /\.svg$/.test(name)))
})
