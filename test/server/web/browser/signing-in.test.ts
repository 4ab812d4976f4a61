import type { Page } from 'playwright-core'
import t from 'tap'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { owner, workspace } = workroom

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

t.test('a key that is pasted signs in, and leads to the page that one wanted to see', async (t) => {
  const page = await browser.visitor(workroom)
  t.teardown(() => page.context().close())
  await page.goto('/account/sessions')
  t.match(page.url(), /\/signin\?next=/)
  await accessible(t, page)
  browser.expect(page, /status of 401/)
  await page.getByLabel('Your key').fill('wr_nobody')
  await button(page, 'Sign in').click()
  await page.getByRole('alert').getByText('This key is not valid').waitFor()
  t.match(page.url(), /\/signin$/)
  await page.getByLabel('Your key').fill(owner.key)
  await page.keyboard.press('Enter')
  await page.waitForURL('/account/sessions')
  t.equal(await page.getByText('this browser').count(), 1)
})

t.test('a link signs in with one button, once, also on a phone and in the dark', async (t) => {
  const page = await browser.visitor(workroom, { window: 'phone', colorScheme: 'dark' })
  t.teardown(() => page.context().close())
  const { path } = await workspace.signinLinks.issue(owner.member)
  await page.goto(`${path}?next=/account/sessions`)
  await page.getByRole('heading', { name: 'Hello, Ada', level: 1 }).waitFor()
  await accessible(t, page)
  await button(page, 'Sign in').click()
  await page.waitForURL('/account/sessions')
  await accessible(t, page)
  browser.expect(page, /status of 404/)
  await page.goto(path)
  await page.getByRole('heading', { name: 'This link is not good any more' }).waitFor()
  await accessible(t, page)
  t.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 375)
})

t.test('sessions are listed, ended elsewhere, and left by signing out', async (t) => {
  const page = await browser.person(workroom, owner)
  const elsewhere = await browser.person(workroom, owner)
  const before = workspace.sessions.list(owner.member).length
  await page.goto('/account/sessions')
  await accessible(t, page)
  const devices = page.getByRole('main').getByRole('listitem')
  t.equal(await devices.count(), before)
  const newest = devices.filter({ hasNotText: 'this browser' }).first()
  await newest.getByRole('button', { name: /^Sign out of/ }).click()
  await page.waitForURL('/account/sessions')
  t.equal(await devices.count(), before - 1)
  await elsewhere.goto('/account/sessions')
  t.match(elsewhere.url(), /\/signin/, 'the session that was ended is over')
  // The request that waits for news ends with the session.
  browser.expect(page, /status of 401.*events/)
  await button(page, 'Sign out').click()
  await page.waitForURL(/\/signin/)
  await page.goBack()
  t.match(page.url(), /\/signin/, 'going back shows nothing')
})

t.test('without script all of it works as well', async (t) => {
  const page = await browser.person(workroom, owner, { javaScriptEnabled: false })
  await page.goto('/account/sessions')
  await button(page, 'Sign out everywhere').click()
  await page.waitForURL('/signin')
  t.same(workspace.sessions.list(owner.member), [])
})
