import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { makeRepository } from '../../../support/code-repository.ts'
import { startReceiver } from '../../../support/webhook-receiver.ts'
import { startWorkroom } from '../../../support/workroom.ts'
import { isSignedBy } from '../../webhooks/verify.ts'

const browser = await openBrowser(t)
const receiver = await startReceiver(t)
const code = join(t.testdirName, 'code')
const workroom = await startWorkroom(t, {
  config: {
    outbound: { allow: ['127.0.0.1'] },
    repositories: { roots: [code] },
  },
  prepare: () => void mkdirSync(code),
})
const { owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await browser.openPageAs(workroom, owner)
const phone = await browser.openPageAs(workroom, grace, { window: 'phone', colorScheme: 'dark' })
const tree = '/v1/fs/projects/general'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const fold = (page: Page, name: string) => page.locator('summary', { hasText: name })
const confirmIt = (page: Page, name: string) => page.locator('dialog').getByRole('button', { name }).click()
const main = (page: Page) => page.getByRole('main')
const textIn = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue()
const focusedId = (page: Page) => page.evaluate<string>('document.activeElement.id')

let scout = { id: '', key: '' }

t.test('an agent is added, and its key is shown once and works', async (t) => {
  await Promise.all([ada.goto('/members#name'), phone.goto('/members')])
  const form = ada.locator('#add')
  await form.getByLabel('An agent').check()
  browser.expectError(ada, /status of 400/)
  await form.getByLabel('Name').fill('Scout [x]')
  await button(ada, 'Add').click()
  t.match(await form.getByRole('alert').textContent(), /Name|name/, 'the mistake is shown in the form')
  t.equal(await form.getByLabel('Name').inputValue(), 'Scout [x]')
  await form.getByLabel('Name').fill('Scout')
  await button(ada, 'Add').click()
  const secret = ada.locator('#added')
  await secret.waitFor()
  t.equal(await focusedId(ada), 'added')
  const key = await secret.getByLabel('Their key').last().innerText()
  t.match(key, /^wr_\w{43}$/)
  t.ok((await secret.innerText()).includes(`curl -H "Authorization: Bearer ${key}" ${workroom.url}/v1/fs`))
  await checkAccessibility(t, ada)
  await ada.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await secret.getByRole('button', { name: 'Copy' }).first().click()
  await ada.getByText('Copied.').waitFor()
  t.equal(await ada.evaluate<string>('navigator.clipboard.readText()'), key)
  t.equal((await request('GET', '/v1/fs', { key })).status, 200)
  await phone.getByRole('link', { name: 'Scout' }).waitFor()
  t.equal(await fold(phone, 'Add').count(), 0, 'a plain member is not offered to add anyone')
  await main(ada).getByRole('link', { name: 'Scout' }).click()
  await ada.waitForURL('**/members/mem_*')
  scout = { id: new URL(ada.url()).pathname.split('/').at(-1)!, key }
  t.notMatch(await ada.content(), key)
})

t.test('where the browser refuses the clipboard, the text is selected for copying', async (t) => {
  await ada.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())')
  await fold(ada, 'New key').click()
  await ada.getByLabel('Label').fill('Laptop')
  await ada.getByLabel('rooms:write').uncheck()
  await button(ada, 'Create key').click()
  await ada.locator('#new-key').getByRole('button', { name: 'Copy' }).first().click()
  await ada.getByText('The text is selected').waitFor()
  t.match(await ada.evaluate<string>('getSelection().toString()'), /^wr_\w{43}$/)
})

t.test('a key is revoked after a question, and vanishes from the list', async (t) => {
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

t.test('a webhook is set, its deliveries are listed live, and one is sent again', async (t) => {
  await fold(ada, 'Set a webhook').click()
  const address = ada.getByLabel('URL', { exact: true })
  browser.expectError(ada, /status of 400/)
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
  receiver.respondWith('scout', 500)
  await request('POST', '/api/rooms/general/messages', {
    key: grace.key,
    body: { body: `@[Scout](${scout.id}) look` },
  })
  const delivery = ada.locator('#deliveries tbody tr')
  await delivery.getByText('500').waitFor()
  t.match(await delivery.innerText(), /mention\s+pending\s+next attempt [\s\S]+1\s+500/)
  receiver.respondWith('scout', 204)
  workroom.clock.advance(30_000)
  await delivery.getByText('delivered').waitFor()
  await delivery.getByRole('button', { name: 'Redeliver' }).click()
  await workroom.eventually(() => receiver.requests('scout').length === 3)
  await checkAccessibility(t, ada)
})

t.test('a webhook’s new secret is shown once and signs from then on', async (t) => {
  const secret = ada.getByRole('status', { name: 'The signing secret' })
  const former = await secret.innerText()
  await button(ada, 'Rotate secret').click()
  await confirmIt(ada, 'Cancel')
  t.equal(await secret.innerText(), former)
  await button(ada, 'Rotate secret').click()
  await confirmIt(ada, 'Rotate')
  await ada.locator('#new-secret:focus').waitFor()
  await workroom.eventually(async () => (await secret.innerText()) !== former)
  const latter = await secret.innerText()
  t.match(latter, /^whs_\w{43}$/)
  await ada.locator('#deliveries').getByRole('button', { name: 'Redeliver' }).click()
  await workroom.eventually(() => receiver.requests('scout').length === 4)
  const call = receiver.requests('scout').at(-1)!
  t.match(
    [isSignedBy(call, latter), isSignedBy(call, former)],
    [{ service: true }, { service: false, previous: true }],
  )
  await ada.reload()
  await fold(ada, 'Change the webhook').waitFor()
  t.equal(await secret.count(), 0)
  t.notMatch(await ada.content(), latter)
})

t.test('a document’s link is copied, or the page says that the browser refused', async (t) => {
  await request('PUT', `${tree}/docs/bell.md`, { body: '# Bell\n' })
  await ada.goto('/projects/general/docs/bell')
  await button(ada, 'More actions').click()
  await button(ada, 'Copy link').click()
  await ada.locator('#said').getByText('Link copied.').waitFor()
  t.equal(await ada.evaluate<string>('navigator.clipboard.readText()'), ada.url())
  await ada.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())')
  await button(ada, 'Copy link').click()
  await ada.locator('#said').getByText('Your browser blocked copying.').waitFor()
})

t.test('a project is created, renamed, shared, archived and reopened', async (t) => {
  await phone.goto('/projects')
  await ada.goto('/projects')
  await fold(ada, 'New project').click()
  await ada.getByLabel('Name').fill('Lighthouse')
  await button(ada, 'Create project').click()
  await ada.waitForURL('**/projects/lighthouse')
  await ada.goto('/projects/lighthouse/settings')
  await ada.getByLabel('Add a member').selectOption({ label: 'Grace' })
  await button(ada, /^Add$/).click()
  await main(phone).getByRole('link', { name: 'Lighthouse' }).waitFor()
  await ada.getByLabel('The project’s name').fill('Beacon')
  await button(ada, 'Rename').click()
  await main(phone).getByRole('link', { name: 'Beacon' }).waitFor()
  await button(ada, 'Archive this project').click()
  await confirmIt(ada, 'Archive')
  await phone.getByText('Archived (1)').waitFor()
  await button(ada, 'Reopen').click()
  await phone.getByText('Archived (1)').waitFor({ state: 'detached' })
  await button(ada, 'Make lead Grace').click()
  await main(ada).getByRole('button', { name: 'Make member Grace' }).waitFor()
  t.match(await ada.locator('#project-members').innerText(), /Grace\s+lead/)
  t.equal(await main(phone).getByRole('link', { name: 'Beacon' }).count(), 1)
})

t.test('a skill is drafted and published, and of two who save at once neither loses text', async (t) => {
  const sheet = (text: string) => `---\nname: tidy-up\ndescription: Tidies.\n---\n\n${text}\n`
  await ada.goto('/projects/general/skills')
  await fold(ada, 'New skill').click()
  await ada.getByLabel('Name').fill('tidy-up')
  await ada.getByLabel('SKILL.md').fill(sheet('One.'))
  await button(ada, 'Save draft').click()
  await ada.waitForURL('**/skills/tidy-up')
  await phone.goto('/projects/general/skills/tidy-up')
  await ada.getByLabel('SKILL.md').fill(sheet('Two, by Ada.'))
  await phone.getByLabel('SKILL.md').fill(sheet('Two, by Grace.'))
  await button(phone, 'Save draft').click()
  await ada.locator('#skill').getByText('draft 2').waitFor()
  t.equal(await textIn(ada, 'SKILL.md'), sheet('Two, by Ada.'), 'text that is being written stays')
  browser.expectError(ada, /status of 409/)
  await button(ada, 'Save draft').click()
  await ada.getByText('Someone else has saved this draft.').waitFor()
  t.match(await ada.locator('.saved').innerText(), 'Two, by Grace.')
  t.equal(await textIn(ada, 'SKILL.md'), sheet('Two, by Ada.'))
  await button(ada, 'Save draft').click()
  await ada.locator('#skill').getByText('draft 3').waitFor()
  await ada.locator('.saved').waitFor({ state: 'detached' })
  await button(ada, 'Publish').click()
  await confirmIt(ada, 'Publish')
  await phone.locator('#published').getByText('Two, by Ada.').waitFor()
  t.equal(
    await textIn(phone, 'SKILL.md'),
    sheet('Two, by Ada.'),
    'a field without changes shows the saved text',
  )
})

t.test('the settings for mail and a room’s involvement are saved', async (t) => {
  await phone.goto('/account')
  const mail = phone.getByLabel('Email notifications', { exact: true })
  const heard = phone.getByLabel('Notifications for general', { exact: true })
  t.same([await mail.isChecked(), await heard.inputValue()], [true, 'everything'])
  await mail.uncheck()
  await phone.locator('#profile').getByRole('button', { name: 'Save' }).click()
  const ofGrace = async (path: string) => (await request('GET', path, { key: grace.key })).json
  await workroom.eventually(
    async () => (await ofGrace(`/api/members/${grace.member.id}`)).member.emailNotifications === false,
  )
  await heard.selectOption({ label: 'Nothing' })
  await phone.locator('#involvement').getByRole('button', { name: 'Save' }).click()
  await workroom.eventually(async () => (await ofGrace('/api/rooms/general')).involvement === 'nothing')
  t.match(
    (await request('GET', '/api/rooms/general')).json,
    { involvement: 'everything' },
    'the involvement of others does not change',
  )
  await phone.reload()
  t.same([await mail.isChecked(), await heard.inputValue()], [false, 'nothing'])
})

t.test('one press marks all mentions as read, in every window of the member', async (t) => {
  const window = await phone.context().newPage()
  t.teardown(() => window.close())
  await Promise.all([phone.goto('/inbox'), window.goto('/inbox')])
  const count = (page: Page) => page.locator('#navigation a[href="/inbox"] .count')
  const inbox = async () => (await request('GET', '/v1/fs/inbox/mentions.md', { key: grace.key })).text
  for (const words of ['come', 'look']) {
    const body = `@[Grace](${grace.member.id}) ${words}`
    await request('POST', '/api/rooms/general/messages', { body: { body } })
  }
  for (const page of [phone, window]) {
    await main(page).getByText('look').waitFor()
    await main(page).getByText('come').waitFor()
    await count(page)
      .getByText(/^2\s*unread mentions$/)
      .waitFor({ state: 'attached' })
    t.match(await page.title(), /^\(2\) /)
  }
  t.match(await inbox(), /come[\s\S]*look|look[\s\S]*come/)
  await button(phone, 'Mark all as read').click()
  for (const page of [phone, window]) {
    await main(page).getByText('You’re all caught up.').waitFor()
    t.equal(await count(page).count(), 0)
    t.equal(await button(page, 'Mark all as read').count(), 0)
    await workroom.eventually(async () => (await page.title()).startsWith('Inbox'))
  }
  t.notMatch(await inbox(), /come|look/)
})

t.test('linking a folder as a repository, and unlinking it, is shown on open pages', async (t) => {
  const asked: string[] = []
  const forge = createServer(({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization}`)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]')
  })
  forge.listen(0, '127.0.0.1')
  await once(forge, 'listening')
  t.teardown(() => {
    forge.close()
    forge.closeAllConnections()
  })
  const api = `http://127.0.0.1:${(forge.address() as AddressInfo).port}/api/v1`
  const { path: source } = makeRepository(join(code, 'tides.git'), { 'README.md': '# Tides\n' })
  const linked = async () => (await request('GET', '/v1/projects/general/repositories')).json.repositories
  await Promise.all(
    [ada, phone].map(async (page) => {
      await page.goto('/projects/general/repositories')
      await main(page).getByText('No repositories linked.').waitFor()
    }),
  )
  await fold(ada, 'Link a repository').click()
  const fields = {
    Name: 'tides',
    Source: source,
    'Forge API URL': api,
    Owner: 'team',
    Repository: 'tide-tables',
    'Access token': 'ghp_hunter2',
  }
  for (const [label, value] of Object.entries(fields))
    await ada.getByLabel(label, { exact: true }).fill(value)
  await button(ada, 'Link repository').click()
  for (const page of [phone, ada]) {
    const row = page.locator('#repositories li').filter({ hasText: source })
    await row.getByRole('link', { name: 'tides' }).waitFor()
    await row.getByText('pull requests').waitFor()
  }
  t.match(await linked(), [{ dir: 'tides', source, forge: { api, owner: 'team', name: 'tide-tables' } }])
  t.match(asked[0], /^\/api\/v1\/repos\/team\/tide-tables\/pulls\b.* Bearer ghp_hunter2$/)
  await workroom.eventually(async () => (await textIn(ada, 'Access token')) === '')
  for (const label of Object.keys(fields)) t.equal(await textIn(ada, label), '', 'the form is cleared')
  t.notMatch((await ada.content()) + (await phone.content()), 'hunter2')
  await button(ada, 'Unlink tides').click()
  await confirmIt(ada, 'Unlink')
  for (const page of [phone, ada]) await main(page).getByText('No repositories linked.').waitFor()
  t.same(await linked(), [])
  t.ok(existsSync(join(source, 'HEAD')), 'the linked folder itself is untouched')
})

t.test('a changed role counts at once', async (t) => {
  const asGrace = async () => (await request('GET', '/api/invites', { key: grace.key })).status
  t.equal(await asGrace(), 403)
  await ada.goto(`/members/${grace.member.id}`)
  await ada.getByLabel('Role', { exact: true }).selectOption('admin')
  await button(ada, 'Change').click()
  await ada.locator('#member .tag', { hasText: 'admin' }).waitFor()
  t.match((await request('GET', `/api/members/${grace.member.id}`)).json, { member: { role: 'admin' } })
  t.equal(await asGrace(), 200)
})

t.test('an invite’s code is shown once, and lets nobody in after it is revoked', async (t) => {
  await Promise.all([ada.goto('/invites'), phone.goto('/invites')])
  await main(phone).getByText('No open invites.').waitFor()
  await ada.getByLabel('Number of people').fill('2')
  await button(ada, 'Create invite').click()
  await ada.locator('#code:focus').waitFor()
  const code = await ada.getByRole('status', { name: 'Invite code' }).innerText()
  t.ok((await ada.locator('#code').innerText()).includes(`${workroom.url}/join?invite=${code}`))
  const onboard = (name: string) =>
    request('POST', '/v1/onboard', { key: undefined, body: { invite: code, name, type: 'human' } })
  const row = (page: Page) => page.locator('#invites li')
  for (const page of [ada, phone])
    await row(page)
      .getByText(/2 uses\s+left/)
      .waitFor()
  t.match(await row(phone).innerText(), /For a person or an agent, as member\s+Created by Ada/)
  t.equal((await onboard('Linus')).status, 201)
  for (const page of [ada, phone])
    await row(page)
      .getByText(/one use\s+left/)
      .waitFor()
  t.equal(await ada.locator('#code').isVisible(), true, 'it is shown until the page is left')
  t.notMatch(await phone.content(), code)
  await ada.reload()
  await row(ada).waitFor()
  t.notMatch(await ada.content(), code)
  await button(phone, 'Revoke').click()
  await confirmIt(phone, 'Cancel')
  t.equal(await row(phone).count(), 1)
  await button(phone, 'Revoke').click()
  await confirmIt(phone, 'Revoke')
  for (const page of [ada, phone]) await main(page).getByText('No open invites.').waitFor()
  t.same((await request('GET', '/api/invites')).json, { invites: [] })
  t.equal((await onboard('Margaret')).status, 403)
})

t.test('links are edited, a deleted document is restored, and a status is shown live', async (t) => {
  await ada.goto('/projects/general/links')
  await phone.goto('/projects/general/links')
  await fold(ada, 'Edit links').click()
  await ada.getByLabel('One link per line').fill('- Tides')
  browser.expectError(ada, /status of 422/)
  await button(ada, 'Save links').click()
  await ada.locator('#links-form').getByRole('alert').waitFor()
  await ada.getByLabel('One link per line').fill('- [Tides](https://tides.example/): when')
  await button(ada, 'Save links').click()
  await phone.getByRole('link', { name: 'Tides' }).waitFor()

  await ada.goto('/projects/general/trash')
  await request('DELETE', `${tree}/docs/bell.md`)
  await button(ada, 'Restore Bell').click()
  await main(ada).getByText('The trash is empty.').waitFor()
  t.equal((await request('GET', `${tree}/docs/bell.md`)).status, 200)

  await ada.goto(`/members/${grace.member.id}`)
  await phone.goto('/account')
  await phone.getByLabel('Status').fill('At sea')
  await button(phone, 'Save').first().click()
  await main(ada).getByText('At sea').waitFor()
  await button(ada, 'Deactivate').click()
  browser.expectError(phone, /status of 401/)
  await confirmIt(ada, 'Deactivate')
  await button(ada, 'Reactivate').waitFor()
  await phone.waitForURL('**/signin*')
})

t.test(
  'text typed while a form is being sent stays, and so does the focus on the form’s button',
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
    await browser.waitForResponses(ada)
    t.equal(await about.inputValue(), 'Written meanwhile')
  },
)

t.test('an owner outside a project adds themselves on its page, and can then read it', async (t) => {
  const olga = await workroom.addMember({ name: 'Olga', type: 'human' })
  const made = await request('POST', '/v1/projects', { key: olga.key, body: { name: 'Quiet works' } })
  t.equal(made.status, 201)
  await ada.goto('/projects')
  const others = main(ada).getByRole('region', { name: 'Projects that you are not in' })
  await others.getByText('Quiet works', { exact: true }).waitFor()
  await checkAccessibility(t, ada)
  await others.getByRole('link', { name: 'Settings of Quiet works' }).click()
  await main(ada).getByText('You are not in this project').waitFor()
  t.equal(await main(ada).getByRole('navigation', { name: 'Project' }).count(), 0)
  await ada.goto('/projects/quiet-works')
  await checkAccessibility(t, ada)
  await button(ada, 'Add yourself to Quiet works').click()
  await main(ada).getByRole('navigation', { name: 'Project' }).waitFor()
  t.match(ada.url(), /\/projects\/quiet-works$/)
})
