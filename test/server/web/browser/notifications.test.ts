import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'
import { startPushService } from '../../../support/push-service.ts'

const service = await startPushService(t)
const chat = await openChat(t, { config: { outbound: { allow: ['127.0.0.1'] } } })
const grace = await chat.person('Grace', 'general')
const mira = await chat.person('Mira', 'general')
const members = [grace.member.id, mira.member.id]
const { _id: room } = await chat.room(chat.owner, { name: 'Talk', members })
const browser = await openBrowser(t)

/** Opens a page on a device that can receive notifications. */
async function openDevice(person: typeof grace, window: 'laptop' | 'phone') {
  const page = await browser.openPageAs(chat, person, { window, hasServiceWorkers: true })
  const device = service.browser(window)
  await page.context().grantPermissions(['notifications'], { origin: chat.url })
  // No real push service can be reached, so the browser gets a subscription of the test's own.
  await page.addInitScript(({ endpoint, ...keys }) => {
    PushManager.prototype.subscribe = async () =>
      ({ toJSON: () => ({ endpoint, keys }) }) as unknown as PushSubscription
  }, device.subscription)
  return { window, person, page, device }
}

const devices = [await openDevice(grace, 'laptop'), await openDevice(mira, 'phone')]

for (const { window, person, page, device } of devices) {
  t.test(`a ${window} turns on notifications, and one that arrives opens its message`, async (t) => {
    await page.goto('/account/notifications')
    await page.getByRole('button', { name: 'Turn on in this browser' }).click()
    await page.getByText('Notifications are on in this browser.').waitFor()
    await page.locator('#devices').getByText('this browser').waitFor()
    const message = await chat.post(chat.owner, room, `${mention(person)} the door is open`)
    await chat.eventually(() => device.notifications().length === 1)
    const [worker] = page.context().serviceWorkers()
    const [pushed] = device.notifications()
    const path = `/rooms/talk?at=${message}#${message}`
    // `waitUntil` refuses events that a script dispatches, so it is replaced.
    const shown = await worker!.evaluate(`(async () => {
      const shown = []
      self.navigator.setAppBadge = async (badge) => shown.push({ badge })
      self.registration.showNotification = async (title, options) => shown.push({ title, ...options })
      const event = new PushEvent('push', { data: ${JSON.stringify(JSON.stringify(pushed))} })
      event.waitUntil = (showing) => { self.showing = showing }
      self.dispatchEvent(event)
      await self.showing
      return shown
    })()`)
    t.match(shown, [
      {
        title: 'Ada mentioned you in Talk',
        body: `@${person.member.name} the door is open`,
        data: path,
        silent: false,
      },
      { badge: 1 },
    ])
    const opened = await worker!.evaluate<string>(`(async () => {
      let opened = null
      self.clients.matchAll = async () => []
      self.clients.openWindow = async (url) => { opened = url }
      const event = new ExtendableEvent('notificationclick')
      event.notification = { close() {}, data: ${JSON.stringify(path)} }
      event.waitUntil = (opening) => { self.opening = opening }
      self.dispatchEvent(event)
      await self.opening
      return opened
    })()`)
    await page.goto(opened)
    await page.locator(`#${message}:target`).waitFor()
  })

  t.test(`on a ${window} the room being read shows no notification, except for a thread`, async (t) => {
    const [worker] = page.context().serviceWorkers()
    const shownTo = (windows: { url: string; focused: boolean }[], more: object = {}) => {
      const pushed = {
        title: 'Ada',
        body: 'Hello',
        url: '/rooms/talk?at=msg_1#msg_1',
        tag: 'a',
        unread: 1,
        ...more,
      }
      return worker!.evaluate<number>(`(async () => {
      let shown = 0
      self.clients.matchAll = async () => ${JSON.stringify(windows)}
      self.navigator.setAppBadge = async () => {}
      self.registration.showNotification = async () => { shown += 1 }
      const event = new PushEvent('push', { data: ${JSON.stringify(JSON.stringify(pushed))} })
      event.waitUntil = (showing) => { self.showing = showing }
      self.dispatchEvent(event)
      await self.showing
      return shown
    })()`)
    }
    const there = { url: `${chat.url}/rooms/talk`, focused: true }
    t.equal(await shownTo([there]), 0)
    t.equal(await shownTo([{ ...there, focused: false }]), 1, 'the window does not have the focus')
    t.equal(await shownTo([{ ...there, url: `${chat.url}/inbox` }]), 1, 'the window shows another page')
    t.equal(await shownTo([there], { isInThread: true }), 1, 'the room does not show a reply in a thread')
  })

  t.test(`on a ${window} a clicked notification leaves the pages of other windows alone`, async (t) => {
    const [worker] = page.context().serviceWorkers()
    const path = '/rooms/talk?at=msg_1#msg_1'
    const clicked = (urls: string[]) =>
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
    const elsewhere = `${chat.url}/projects/general/docs/plan?edit`
    t.strictSame(await clicked([elsewhere]), [`open ${path}`])
    t.strictSame(await clicked([elsewhere, chat.url + path]), [`focus ${chat.url}${path}`])
  })

  t.test(`kinds of notification, quiet hours and a pause are set on a ${window}`, async (t) => {
    await page.goto('/account/notifications')
    const browsers = page.locator('#devices')
    await browsers.locator('summary').click()
    await browsers.getByLabel('Play a sound').uncheck()
    await browsers.getByLabel('Replies in your threads').uncheck()
    await browsers.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const count = device.received.length
    const root = await chat.post(person, room, 'Who is there?')
    await chat.post(chat.owner, room, 'I am', { threadId: root })
    await chat.post(chat.owner, room, `${mention(person)} hush`)
    await chat.eventually(() => device.received.length === count + 1)
    t.match(device.notifications().at(-1), { body: `@${person.member.name} hush`, silent: true })
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
      (await chat.request('GET', '/v1/inbox/settings', { key: person.key })).json.settings
    await chat.eventually(async () => {
      const { quietFrom, quietUntil, mail } = await settings()
      return quietFrom === '22:00' && quietUntil === '07:30' && !mail.includes('direct')
    })
    await page.getByRole('button', { name: 'Resume' }).click()
    await chat.eventually(async () => (await settings()).pausedUntil === null)
  })

  t.test(
    `a member’s notices are listed in the inbox and counted in the page’s title, on a ${window}`,
    async (t) => {
      const send = (method: string, path: string, body: unknown, { key } = chat.owner) =>
        chat.request(method, path, { key, body })
      await send('POST', '/v1/inbox/read', {}, person)
      const { id, name } = person.member
      const tree = '/v1/fs/projects/general'
      const assign = (title: string) =>
        send('PUT', `${tree}/board/todo/new-card.md`, `---\nassignees: [${name}]\n---\n# ${title}\n`)
      await assign(`Fix the door of the ${window}`)
      await send('POST', '/api/asks', { project: 'general', title: `Oil the ${window}`, assignees: [id] })
      const asked = await send('POST', '/api/asks', { project: 'general', title: `Which ${window}?` }, person)
      await send('POST', `/api/asks/${asked.json.askId}/resolve`, { resolution: 'The red one' })
      const post = await send(
        'PUT',
        `${tree}/posts/news-${window}.md`,
        `# News of the ${window}\n\nDone.\n`,
        person,
      )
      await send('POST', `/v1/posts/${post.json.id}/comments`, { body: 'Well done' })
      const root = await chat.post(person, room, 'Shall we?')
      await chat.post(chat.owner, room, 'We shall', { threadId: root })
      const { _id: direct } = await chat.room(chat.owner, { type: 'direct', members: [id] })
      await chat.post(chat.owner, direct, 'Between us')
      const isUnread = async (words: string): Promise<boolean> =>
        (await chat.request('GET', '/v1/inbox', { key: person.key })).text.includes(words)
      await page.goto('/inbox')
      const inbox = page.getByRole('main').getByRole('listitem')
      for (const [words, preview] of [
        [`Ada assigned you the card Fix the door of the ${window}`],
        [`Ada assigned you Oil the ${window}`],
        [`Ada answered Which ${window}?`, 'The red one'],
        [`Ada commented on News of the ${window}`, 'Well done'],
        ['Ada replied in Talk', 'We shall'],
        ['Ada sent you a message', 'Between us'],
      ] as const) {
        const row = inbox.filter({ hasText: preview ?? '' }).getByRole('link', { name: words })
        await row.waitFor()
      }
      t.equal(await inbox.count(), 6)
      await chat.eventually(async () => (await page.title()).startsWith('(6)'))
      // Opening a row marks it as read.
      const rows = ['We shall', 'Fix the door', 'Well done', 'The red one', 'Between us']
      for (const words of rows) {
        await inbox.filter({ hasText: words }).getByRole('link').click()
        await chat.eventually(async () => !(await isUnread(words)))
        await page.goto('/inbox')
        t.equal(await inbox.filter({ hasText: words }).count(), 0, words)
      }
      await assign(`Paint the ${window}`)
      await inbox.filter({ hasText: 'Paint' }).waitFor()
      await page.getByRole('button', { name: 'Mark all as read' }).click()
      await page.getByText('You’re all caught up.').waitFor()
      await chat.eventually(async () => (await page.title()).startsWith('Inbox'))
    },
  )
}

t.test('the app can be installed: manifest, icons and an always fresh service worker', async (t) => {
  const manifest = await chat.request('GET', '/manifest.webmanifest')
  t.equal(manifest.headers['content-type'], 'application/manifest+json; charset=utf-8')
  const described = JSON.parse(manifest.text)
  t.match(described, { display: 'standalone', start_url: '/', scope: '/' })
  for (const { src } of described.icons) {
    const icon = await chat.request('GET', src)
    t.match([icon.status, icon.headers['content-type']], [200, 'image/png'])
  }
  const worker = await chat.request('GET', '/service-worker.js')
  t.match(worker.headers, { 'cache-control': 'no-cache' })
  t.notMatch(worker.text, /fetch|caches/, 'the worker answers no requests and caches nothing')
})
