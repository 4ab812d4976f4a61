import { once } from 'node:events'
import type { Page } from 'playwright-core'
import t from 'tap'
import { defaultConfig } from '../../../../core/config.ts'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { startReceiver } from '../../../support/webhook-receiver.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const receiver = await startReceiver(t)
const workroom = await startWorkroom(t, {
  config: { outbound: { allow: ['127.0.0.1'] }, limits: { ...defaultConfig.limits, uploadBytes: 5000 } },
})
const { owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await browser.person(workroom, owner)
const phone = await browser.person(workroom, grace, { window: 'phone', colorScheme: 'dark' })
const tree = '/v1/fs/projects/general'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const fold = (page: Page, name: string) => page.locator('summary', { hasText: name })
const confirmIt = (page: Page, name: string) => page.locator('dialog').getByRole('button', { name }).click()
const main = (page: Page) => page.getByRole('main')
const textIn = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue()
const focusedId = (page: Page) => page.evaluate<string>('document.activeElement.id')

let scout = { id: '', key: '' }

t.test('an agent is added, and its key, which is shown once, opens the door', async (t) => {
  await Promise.all([ada.goto('/members#name'), phone.goto('/members')])
  const form = ada.locator('#add')
  await form.getByLabel('An agent').check()
  browser.expect(ada, /status of 400/)
  await form.getByLabel('Name').fill('Scout [x]')
  await button(ada, 'Add').click()
  t.match(await form.getByRole('alert').textContent(), /Name|name/, 'what was wrong stands in the form')
  t.equal(await form.getByLabel('Name').inputValue(), 'Scout [x]')
  await form.getByLabel('Name').fill('Scout')
  await button(ada, 'Add').click()
  const secret = ada.locator('#added')
  await secret.waitFor()
  t.equal(await focusedId(ada), 'added')
  const key = await secret.getByLabel('Their key').last().innerText()
  t.match(key, /^wr_\w{43}$/)
  t.ok((await secret.innerText()).includes(`curl -H "Authorization: Bearer ${key}" ${workroom.url}/v1/fs`))
  await accessible(t, ada)
  await ada.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await secret.getByRole('button', { name: 'Copy' }).first().click()
  await ada.getByText('Copied.').waitFor()
  t.equal(await ada.evaluate<string>('navigator.clipboard.readText()'), key)
  t.equal((await request('GET', '/v1/fs', { key })).status, 200)
  await phone.getByRole('link', { name: 'Scout' }).waitFor()
  t.equal(await fold(phone, 'Add').count(), 0, 'who may not add anybody is not asked to')
  await main(ada).getByRole('link', { name: 'Scout' }).click()
  await ada.waitForURL('**/members/mem_*')
  scout = { id: new URL(ada.url()).pathname.split('/').at(-1)!, key }
  t.notMatch(await ada.content(), key)
})

t.test('a browser that keeps its clipboard to itself is no end: the text is selected', async (t) => {
  await ada.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())')
  await fold(ada, 'New key').click()
  await ada.getByLabel('What it is for').fill('Laptop')
  await ada.getByLabel('rooms:write').uncheck()
  await button(ada, 'Make the key').click()
  await ada.locator('#new-key').getByRole('button', { name: 'Copy' }).first().click()
  await ada.getByText('The text is selected').waitFor()
  t.match(await ada.evaluate<string>('getSelection().toString()'), /^wr_\w{43}$/)
})

t.test('a key is revoked, at once, for everybody who looks', async (t) => {
  const keys = ada.locator('#keys')
  const laptop = keys.locator('bdi', { hasText: 'Laptop' })
  await laptop.waitFor()
  t.match(await keys.innerText(), /rooms:read, projects:read/)
  await button(ada, 'Revoke the key Laptop').click()
  await confirmIt(ada, 'Cancel')
  t.equal(await laptop.count(), 1)
  await button(ada, 'Revoke the key Laptop').click()
  await confirmIt(ada, 'Revoke')
  await laptop.waitFor({ state: 'detached' })
  await ada.locator('#keys:focus').waitFor()
})

t.test('a webhook is set, what it was told is listed as it happens, and told once more', async (t) => {
  await fold(ada, 'Set a webhook').click()
  const address = ada.getByLabel('Address', { exact: true })
  browser.expect(ada, /status of 400/)
  await address.fill('https://10.1.2.3/x')
  await button(ada, /^Save$/)
    .first()
    .click()
  await ada.locator('#webhook-form').getByRole('alert').waitFor()
  t.equal(await address.inputValue(), 'https://10.1.2.3/x')
  await address.fill(receiver.urlOf('scout'))
  await button(ada, /^Save$/)
    .first()
    .click()
  await ada.locator('#new-secret').waitFor()
  t.match(await ada.locator('#new-secret output').innerText(), /^whs_\w{43}$/)
  await request('POST', '/api/rooms/general/join', { key: scout.key })
  receiver.answer('scout', 500)
  await request('POST', '/api/rooms/general/messages', {
    key: grace.key,
    body: { body: `@[Scout](${scout.id}) look` },
  })
  const delivery = ada.locator('#deliveries tbody tr')
  await delivery.getByText('500').waitFor()
  t.match(await delivery.innerText(), /mention\s+pending\s+again [\s\S]+1\s+500/)
  receiver.answer('scout', 204)
  workroom.clock.advance(30_000)
  await delivery.getByText('delivered').waitFor()
  await delivery.getByRole('button', { name: 'Send again' }).click()
  await workroom.eventually(() => receiver.calls('scout').length === 3)
  await accessible(t, ada)
})

t.test('files are uploaded by button and by drop, and stand in every browser', async (t) => {
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
  t.equal(await ada.locator('.upload').count(), 0, 'what is done is not shown as being on its way')
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
  browser.expect(ada, /status of 413/)
  await drag('drop', 6000)
  t.match(await ada.locator('.upload').getByRole('alert').textContent(), /large|5/)
  await button(ada, 'Dismiss').click()
  await button(ada, 'Delete one.txt').click()
  await confirmIt(ada, 'Delete')
  await main(phone).getByRole('link', { name: 'one.txt' }).waitFor({ state: 'detached' })
})

t.test('whatever there is, is found from the keyboard', async (t) => {
  const put = await request('PUT', `${tree}/docs/lanterns.md`, { body: '# Lanterns\n\nThey glow at dusk.\n' })
  await ada.goto('/members')
  await ada.keyboard.press('/')
  await ada.keyboard.type('dus')
  const found = ada.getByRole('option', { name: /Lanterns.*glow at dusk/ })
  await found.waitFor()
  await ada.keyboard.press('ArrowDown')
  t.equal(await found.getAttribute('aria-selected'), 'true')
  t.equal(
    await ada.getByRole('combobox').getAttribute('aria-activedescendant'),
    await found.getAttribute('id'),
  )
  await accessible(t, ada)
  await ada.keyboard.press('Enter')
  await ada.waitForURL(new URL(put.json.url).pathname)
  await ada.keyboard.press('Control+k')
  await ada.keyboard.type('gr')
  await ada.getByRole('option', { name: 'Grace Person' }).waitFor()
  await ada.keyboard.press('Escape')
  t.equal(await ada.getByRole('option').count(), 0)
  await ada.keyboard.press('Escape')
  await ada.keyboard.press('?')
  await ada.getByRole('dialog', { name: 'Keys' }).waitFor()
  await ada.keyboard.press('Escape')
  await phone.getByRole('combobox').tap()
  await phone.keyboard.type('glow')
  await phone.getByRole('option', { name: /Lanterns/ }).waitFor()
  await accessible(t, phone)
  t.equal(await phone.evaluate<number>('document.documentElement.scrollWidth'), 375)
  await phone.keyboard.press('Enter')
  await phone.waitForURL('**/search?q=glow')
  t.equal(await phone.locator('mark').textContent(), 'glow')
})

t.test('a project is made, named anew, shared, archived and opened again', async (t) => {
  await phone.goto('/projects')
  await ada.goto('/projects')
  await fold(ada, 'New project').click()
  await ada.getByLabel('Name').fill('Lighthouse')
  await button(ada, 'Make the project').click()
  await ada.waitForURL('**/projects/lighthouse')
  await ada.goto('/projects/lighthouse/settings')
  await ada.getByLabel('Add somebody').selectOption({ label: 'Grace' })
  await button(ada, /^Add$/).click()
  await main(phone).getByRole('link', { name: 'Lighthouse' }).waitFor()
  await ada.getByLabel('The project’s name').fill('Beacon')
  await button(ada, 'Rename').click()
  await main(phone).getByRole('link', { name: 'Beacon' }).waitFor()
  await button(ada, 'Archive this project').click()
  await confirmIt(ada, 'Archive')
  await phone.getByText('Archived (1)').waitFor()
  await button(ada, 'Open it again').click()
  await phone.getByText('Archived (1)').waitFor({ state: 'detached' })
  await button(ada, 'Make lead Grace').click()
  await main(ada).getByRole('button', { name: 'Make member Grace' }).waitFor()
  t.match(await ada.locator('#project-members').innerText(), /Grace\s+lead/)
  t.equal(await main(phone).getByRole('link', { name: 'Beacon' }).count(), 1)
})

t.test('a skill is drafted and published; whoever was slower loses nothing', async (t) => {
  const sheet = (text: string) => `---\nname: tidy-up\ndescription: Tidies.\n---\n\n${text}\n`
  await ada.goto('/projects/general/skills')
  await fold(ada, 'New skill').click()
  await ada.getByLabel('Name').fill('tidy-up')
  await ada.getByLabel('SKILL.md').fill(sheet('One.'))
  await button(ada, 'Save the draft').click()
  await ada.waitForURL('**/skills/tidy-up')
  await phone.goto('/projects/general/skills/tidy-up')
  await ada.getByLabel('SKILL.md').fill(sheet('Two, by Ada.'))
  await phone.getByLabel('SKILL.md').fill(sheet('Two, by Grace.'))
  await button(phone, 'Save the draft').click()
  await ada.locator('#skill').getByText('draft 2').waitFor()
  t.equal(await textIn(ada, 'SKILL.md'), sheet('Two, by Ada.'), 'what is being written stays')
  browser.expect(ada, /status of 409/)
  await button(ada, 'Save the draft').click()
  await ada.getByText('Somebody else has saved this draft meanwhile.').waitFor()
  t.match(await ada.locator('.saved').innerText(), 'Two, by Grace.')
  t.equal(await textIn(ada, 'SKILL.md'), sheet('Two, by Ada.'))
  await button(ada, 'Save the draft').click()
  await ada.locator('#skill').getByText('draft 3').waitFor()
  t.equal(await ada.locator('.saved').count(), 0)
  await button(ada, 'Publish').click()
  await confirmIt(ada, 'Publish')
  await phone.locator('#published').getByText('Two, by Ada.').waitFor()
  t.equal(
    await textIn(phone, 'SKILL.md'),
    sheet('Two, by Ada.'),
    'whoever has written nothing sees what is saved',
  )
})

t.test('links are changed, what was deleted comes back, and a profile is told', async (t) => {
  await ada.goto('/projects/general/links')
  await phone.goto('/projects/general/links')
  await fold(ada, 'Change the links').click()
  await ada.getByLabel('One link a line').fill('- Tides')
  browser.expect(ada, /status of 422/)
  await button(ada, 'Save the links').click()
  await ada.locator('#links-form').getByRole('alert').waitFor()
  await ada.getByLabel('One link a line').fill('- [Tides](https://tides.example/): when')
  await button(ada, 'Save the links').click()
  await phone.getByRole('link', { name: 'Tides' }).waitFor()

  await ada.goto('/projects/general/trash')
  await request('DELETE', `${tree}/docs/lanterns.md`)
  await button(ada, 'Bring back Lanterns').click()
  await main(ada).getByText('The trash is empty.').waitFor()
  t.equal((await request('GET', `${tree}/docs/lanterns.md`)).status, 200)

  await ada.goto(`/members/${grace.member.id}`)
  await phone.goto('/account')
  await phone.getByLabel('Status').fill('At sea')
  await button(phone, 'Save').first().click()
  await main(ada).getByText('At sea').waitFor()
  await button(ada, 'Deactivate').click()
  browser.expect(phone, /status of 401/)
  await confirmIt(ada, 'Deactivate')
  await button(ada, 'Activate again').waitFor()
  await phone.waitForURL('**/signin*')
})

t.test(
  'what is written while a form is being sent stays, and who has pressed its button stays there',
  async (t) => {
    await ada.goto('/account')
    const sent = new AbortController()
    const status = ada.getByLabel('Status', { exact: true })
    const about = ada.getByLabel('About', { exact: true })
    await ada.route('**/api/members/*', async (route) => {
      if (!sent.signal.aborted) await once(sent.signal, 'abort')
      await route.continue()
    })
    await status.fill('At sea')
    await ada.locator('#profile').getByRole('button', { name: 'Save' }).focus()
    await ada.keyboard.press('Enter')
    await ada.locator('#profile[aria-busy="true"]').waitFor()
    t.equal(await ada.evaluate('document.activeElement.textContent'), 'Save')
    await about.fill('Written meanwhile')
    await about.blur()
    sent.abort()
    await ada.unrouteAll({ behavior: 'wait' })
    await ada.getByText('Saved.').waitFor()
    const shownAnew = ada.waitForResponse('**/account')
    await request('PATCH', `/api/members/${owner.member.id}`, { body: { statusText: 'Back' } })
    await shownAnew
    await ada.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    t.equal(await about.inputValue(), 'Written meanwhile')
  },
)
