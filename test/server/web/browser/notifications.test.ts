import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'
import { startPushService } from '../../../support/push-service.ts'

const service = await startPushService(t)
const chat = await openChat(t, { config: { outbound: { allow: ['127.0.0.1'] } } })
const { eventually, owner } = chat
const grace = await chat.person('Grace', 'general')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [grace.member.id] })
const browser = await openBrowser(t)
const page = await browser.openPageAs(chat, grace, { window: 'phone', hasServiceWorkers: true })

// No real push service can be reached, so the browser gets a subscription of the test's own.
const device = service.browser('phone')
await page.context().grantPermissions(['notifications'], { origin: chat.url })
await page.addInitScript(({ endpoint, ...keys }) => {
  PushManager.prototype.subscribe = async () =>
    ({ toJSON: () => ({ endpoint, keys }) }) as unknown as PushSubscription
}, device.subscription)
await page.goto('/account/notifications')
await page.getByRole('button', { name: 'Turn on in this browser' }).click()
await page.getByText('Notifications are on in this browser.').waitFor()
const [worker] = page.context().serviceWorkers()

/** What a push shows, and the badge that it sets. @param windows the open pages of the browser */
const shownBy = (pushed: object, windows: { url: string; focused: boolean }[] = []) =>
  // `waitUntil` refuses events that a script dispatches, so it is replaced.
  worker!.evaluate<Record<string, unknown>[]>(`(async () => {
    const shown = []
    self.clients.matchAll = async () => ${JSON.stringify(windows)}
    self.navigator.setAppBadge = async (badge) => shown.push({ badge })
    self.registration.showNotification = async (title, options) => shown.push({ title, ...options })
    const event = new PushEvent('push', { data: ${JSON.stringify(JSON.stringify(pushed))} })
    event.waitUntil = (showing) => { self.showing = showing }
    self.dispatchEvent(event)
    await self.showing
    return shown
  })()`)

/** What a click on a notification does. @param path where the notification leads @param urls of the open pages */
const doneByClick = (path: string, urls: string[] = []) =>
  worker!.evaluate<string[]>(`(async () => {
    const done = []
    self.clients.matchAll = async () => ${JSON.stringify(urls)}.map((url) => ({
      url,
      navigate: async () => { done.push('navigate ' + url) },
      focus: async () => { done.push('focus ' + url) },
    }))
    self.clients.openWindow = async (url) => { done.push('open ' + url) }
    const event = new ExtendableEvent('notificationclick')
    event.notification = { close() {}, data: ${JSON.stringify(path)} }
    event.waitUntil = (opening) => { self.opening = opening }
    self.dispatchEvent(event)
    await self.opening
    return done
  })()`)

t.test('a notification arrives in a browser where they are on, and opens its message', async (t) => {
  await page.goto('/account/notifications')
  await page.locator('#devices').getByText('this browser').waitFor()
  const count = device.received.length
  const message = await chat.post(owner, room, `${mention(grace)} the door is open`)
  await eventually(() => device.received.length === count + 1)
  const path = `/rooms/talk?at=${message}#${message}`
  const shown = await shownBy(device.notifications().at(-1)!)
  t.match(shown, [
    { title: 'Ada mentioned you in Talk', body: '@Grace the door is open', data: path, silent: false },
    { badge: Number },
  ])
  t.strictSame(await doneByClick(path), [`open ${path}`])
  await page.goto(path)
  await page.locator(`#${message}:target`).waitFor()
})

t.test('the room being read shows no notification, except for a thread', async (t) => {
  const pushed = { title: 'Ada', body: 'Hello', url: '/rooms/talk?at=msg_1#msg_1', tag: 'a', unread: 1 }
  const countOf = async (window: { url: string; focused: boolean }, more: object = {}) =>
    (await shownBy({ ...pushed, ...more }, [window])).filter(({ title }) => title !== undefined).length
  const there = { url: `${chat.url}/rooms/talk`, focused: true }
  t.equal(await countOf(there), 0)
  t.equal(await countOf({ ...there, focused: false }), 1, 'the window does not have the focus')
  t.equal(await countOf({ ...there, url: `${chat.url}/inbox` }), 1, 'the window shows another page')
  t.equal(await countOf(there, { isInThread: true }), 1, 'the room does not show a reply in a thread')
})

t.test('a clicked notification leaves the pages of other windows alone', async (t) => {
  const path = '/rooms/talk?at=msg_1#msg_1'
  const elsewhere = `${chat.url}/projects/general/docs/plan?edit`
  t.strictSame(await doneByClick(path, [elsewhere]), [`open ${path}`])
  t.strictSame(await doneByClick(path, [elsewhere, chat.url + path]), [`focus ${chat.url}${path}`])
})

t.test('kinds of notification, quiet hours and a pause are set', async (t) => {
  await page.goto('/account/notifications')
  const browsers = page.locator('#devices')
  await browsers.locator('summary').click()
  await browsers.getByLabel('Play a sound').uncheck()
  await browsers.getByLabel('Replies in your threads').uncheck()
  await browsers.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const count = device.received.length
  const root = await chat.post(grace, room, 'Who is there?')
  await chat.post(owner, room, 'I am', { threadId: root })
  await chat.post(owner, room, `${mention(grace)} hush`)
  await eventually(() => device.received.length === count + 1)
  t.match(device.notifications().at(-1), { body: '@Grace hush', silent: true })
  t.notOk(device.notifications().some(({ body }) => body === 'I am'))
  const mail = page.getByRole('group', { name: 'Send me' })
  await mail.getByLabel('Direct messages').uncheck()
  await page.locator('#mail').getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('From', { exact: true }).fill('22:00')
  await page.getByLabel('Until', { exact: true }).fill('07:30')
  await page.locator('#quiet').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText(/^Paused until/).waitFor()
  const settings = async () =>
    (await chat.request('GET', '/v1/inbox/settings', { key: grace.key })).json.settings
  await eventually(async () => {
    const { quietFrom, quietUntil, mail } = await settings()
    return quietFrom === '22:00' && quietUntil === '07:30' && !mail.includes('direct')
  })
  await page.getByRole('button', { name: 'Resume' }).click()
  await eventually(async () => (await settings()).pausedUntil === null)
})

const inbox = page.getByRole('main').getByRole('listitem')
const countIn = (one: Page) => one.locator('#navigation a[href="/inbox"] .count')
const markAllAsRead = () => chat.request('POST', '/v1/inbox/read', { key: grace.key, body: {} })

t.test('new notices appear in the inbox and its title, and opening one marks it as read', async (t) => {
  await markAllAsRead()
  await page.goto('/inbox')
  await page.getByText('You’re all caught up.').waitFor()
  const { key } = owner
  const root = await chat.post(grace, room, 'Shall we?')
  await chat.post(owner, room, 'We shall', { threadId: root })
  const { _id: direct } = await chat.room(owner, { type: 'direct', members: [grace.member.id] })
  await chat.post(owner, direct, 'Between us')
  const body = { project: 'general', title: 'Oil the hinges', assignees: [grace.member.id] }
  await chat.request('POST', '/api/asks', { key, body })
  const rows = ['Ada replied in Talk', 'Ada sent you a message', 'Ada assigned you Oil the hinges']
  for (const name of rows) await inbox.getByRole('link', { name }).waitFor()
  t.equal(await inbox.count(), 3)
  await eventually(async () => (await page.title()).startsWith('(3)'))
  const paths = await Promise.all(rows.map((name) => inbox.getByRole('link', { name }).getAttribute('href')))
  const unread = async () => (await chat.request('GET', '/v1/inbox', { key: grace.key })).text
  for (const [at, words] of ['We shall', 'Between us', 'Oil the hinges'].entries()) {
    t.match(await unread(), words)
    await page.goto(paths[at]!)
    await eventually(async () => !(await unread()).includes(words))
  }
  await page.goto('/inbox')
  await page.getByText('You’re all caught up.').waitFor()
})

t.test('one press marks all mentions as read, in every window of the member', async (t) => {
  await markAllAsRead()
  const other = await page.context().newPage()
  t.teardown(() => other.close())
  await Promise.all([page.goto('/inbox'), other.goto('/inbox')])
  for (const words of ['come', 'look']) await chat.post(owner, room, `${mention(grace)} ${words}`)
  for (const one of [page, other]) {
    for (const words of ['come', 'look']) await one.getByRole('main').getByText(words).waitFor()
    await countIn(one)
      .getByText(/^2\s*unread mentions$/)
      .waitFor({ state: 'attached' })
    t.match(await one.title(), /^\(2\) /)
  }
  t.match(await chat.inbox(grace), /come[\s\S]*look|look[\s\S]*come/)
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  for (const one of [page, other]) {
    await one.getByRole('main').getByText('You’re all caught up.').waitFor()
    t.equal(await countIn(one).count(), 0)
    t.equal(await one.getByRole('button', { name: 'Mark all as read' }).count(), 0)
    await eventually(async () => (await one.title()).startsWith('Inbox'))
  }
  t.notMatch(await chat.inbox(grace), /come|look/)
})
