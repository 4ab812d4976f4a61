import { once } from 'node:events'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { startReceiver } from '../../../support/webhook-receiver.ts'
import { startWorkroom } from '../../../support/workroom.ts'
import { isSignedBy } from '../../webhooks/verify.ts'

const browser = await openBrowser(t)
const receiver = await startReceiver(t)
const workroom = await startWorkroom(t, { config: { outbound: { allow: ['127.0.0.1'] } } })
const { owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human', role: 'admin' }, 'general')
const ada = await browser.openPageAs(workroom, owner)
const phone = await browser.openPageAs(workroom, grace, { window: 'phone', colorScheme: 'dark' })
await ada.context().grantPermissions(['clipboard-read', 'clipboard-write'])

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const fold = (page: Page, name: string) => page.locator('summary', { hasText: name })
const confirmIt = (page: Page, name: string) => page.locator('dialog').getByRole('button', { name }).click()
const main = (page: Page) => page.getByRole('main')
const focusedId = (page: Page) => page.evaluate<string>('document.activeElement.id')

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
  await secret.getByRole('button', { name: 'Copy' }).first().click()
  await ada.getByText('Copied.').waitFor()
  t.equal(await ada.evaluate<string>('navigator.clipboard.readText()'), key)
  t.equal((await request('GET', '/v1/fs', { key })).status, 200)
  await phone.getByRole('link', { name: 'Scout' }).waitFor()
  await main(ada).getByRole('link', { name: 'Scout' }).click()
  await ada.waitForURL('**/members/mem_*')
  t.notMatch(await ada.content(), key)
})

t.test(
  'a new key is selected where the browser refuses the clipboard, and is revoked after a question',
  async (t) => {
    const { member } = await workroom.addMember({ name: 'Lookout', type: 'agent' })
    await ada.goto(`/members/${member.id}`)
    await ada.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())')
    await fold(ada, 'New key').click()
    await ada.getByLabel('Label').fill('Laptop')
    await ada.getByLabel('rooms:write').uncheck()
    await button(ada, 'Create key').click()
    await ada.locator('#new-key').getByRole('button', { name: 'Copy' }).first().click()
    await ada.getByText('The text is selected').waitFor()
    t.match(await ada.evaluate<string>('getSelection().toString()'), /^wr_\w{43}$/)

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
  },
)

t.test(
  'a webhook is set, its deliveries are listed live, one is sent again, and a new secret signs from then on',
  async (t) => {
    const bell = await workroom.addMember({ name: 'Bell', type: 'agent' }, 'general')
    await ada.goto(`/members/${bell.member.id}`)
    await fold(ada, 'Set a webhook').click()
    const address = ada.getByLabel('URL', { exact: true })
    const save = ada.locator('#webhook-form').getByRole('button', { name: 'Save' })
    browser.expectError(ada, /status of 400/)
    await address.fill('https://10.1.2.3/x')
    await save.click()
    await ada.locator('#webhook-form').getByRole('alert').waitFor()
    t.equal(await address.inputValue(), 'https://10.1.2.3/x')
    await address.fill(receiver.urlOf('bell'))
    await save.click()
    const secret = ada.getByRole('status', { name: 'The signing secret' })
    await ada.locator('#new-secret').waitFor()
    const former = await secret.innerText()
    t.match(former, /^whs_\w{43}$/)
    await request('POST', '/api/rooms/general/join', { key: bell.key })
    receiver.respondWith('bell', 500)
    await request('POST', '/api/rooms/general/messages', {
      key: grace.key,
      body: { body: `@[Bell](${bell.member.id}) look` },
    })
    const delivery = ada.locator('#deliveries tbody tr')
    await delivery.getByText('500').waitFor()
    t.match(await delivery.innerText(), /mention\s+pending\s+next attempt [\s\S]+1\s+500/)
    receiver.respondWith('bell', 204)
    workroom.clock.advance(30_000)
    await delivery.getByText('delivered').waitFor()
    await delivery.getByRole('button', { name: 'Redeliver' }).click()
    await workroom.eventually(() => receiver.requests('bell').length === 3)
    await checkAccessibility(t, ada)

    await button(ada, 'Rotate secret').click()
    await confirmIt(ada, 'Cancel')
    t.equal(await secret.innerText(), former)
    await button(ada, 'Rotate secret').click()
    await confirmIt(ada, 'Rotate')
    await ada.locator('#new-secret:focus').waitFor()
    await secret.getByText(former).waitFor({ state: 'detached' })
    const latter = await secret.innerText()
    t.match(latter, /^whs_\w{43}$/)
    await delivery.getByRole('button', { name: 'Redeliver' }).click()
    await workroom.eventually(() => receiver.requests('bell').length === 4)
    const call = receiver.requests('bell').at(-1)!
    t.match(
      [isSignedBy(call, latter), isSignedBy(call, former)],
      [{ service: true }, { service: false, previous: true }],
    )
    await ada.reload()
    await fold(ada, 'Change the webhook').waitFor()
    t.equal(await secret.count(), 0)
    t.notMatch(await ada.content(), latter)
  },
)

t.test('a role, a status and a deactivation count at once, and are shown live', async (t) => {
  const linus = await workroom.addMember({ name: 'Linus', type: 'human' })
  const invites = async () => (await request('GET', '/api/invites', { key: linus.key })).status
  t.equal(await invites(), 403)
  await ada.goto(`/members/${linus.member.id}`)
  await ada.getByLabel('Role', { exact: true }).selectOption('admin')
  await button(ada, 'Change').click()
  await ada.locator('#member .tag', { hasText: 'admin' }).waitFor()
  t.match((await request('GET', `/api/members/${linus.member.id}`)).json, { member: { role: 'admin' } })
  t.equal(await invites(), 200)
  await request('PATCH', `/api/members/${linus.member.id}`, {
    key: linus.key,
    body: { statusText: 'At sea' },
  })
  await main(ada).getByText('At sea').waitFor()
  await button(ada, 'Deactivate').click()
  await confirmIt(ada, 'Deactivate')
  await button(ada, 'Reactivate').waitFor()
  t.equal(await invites(), 401)
})

t.test('a status, the settings for mail and a room’s involvement are saved', async (t) => {
  await phone.goto('/account')
  const status = phone.getByLabel('Status', { exact: true })
  const mail = phone.getByLabel('Email notifications', { exact: true })
  const involvement = phone.getByLabel('Notifications for general', { exact: true })
  t.same([await mail.isChecked(), await involvement.inputValue()], [true, 'everything'])
  await status.fill('At sea')
  await mail.uncheck()
  await phone.locator('#profile').getByRole('button', { name: 'Save' }).click()
  const ofGrace = async (path: string) => (await request('GET', path, { key: grace.key })).json
  await workroom.eventually(async () => {
    const { member } = await ofGrace(`/api/members/${grace.member.id}`)
    return member.emailNotifications === false && member.statusText === 'At sea'
  })
  await involvement.selectOption({ label: 'Nothing' })
  await phone.locator('#involvement').getByRole('button', { name: 'Save' }).click()
  await workroom.eventually(async () => (await ofGrace('/api/rooms/general')).involvement === 'nothing')
  t.match(
    (await request('GET', '/api/rooms/general')).json,
    { involvement: 'everything' },
    'the involvement of others does not change',
  )
  await phone.reload()
  t.same(
    [await status.inputValue(), await mail.isChecked(), await involvement.inputValue()],
    ['At sea', false, 'nothing'],
  )
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
  t.equal((await onboard('Margaret')).status, 201)
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
  t.equal((await onboard('Mary')).status, 403)
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
