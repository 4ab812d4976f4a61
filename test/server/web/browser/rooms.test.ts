import { once } from 'node:events'
import type { Page } from 'playwright-core'
import t from 'tap'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, workspace } = chat
const grace = await chat.person('Grace', 'general')
const bot = await chat.agent('Scout')
await chat.join(bot, 'general')
const ada = await browser.person(chat, owner)
const phone = await browser.person(chat, grace, { window: 'phone', colorScheme: 'dark' })

/** Waits until an expression is true on a page. Its content policy forbids `waitForFunction`. */
const comesTrue = (page: Page, expression: string) =>
  chat.eventually(async () => page.evaluate<boolean>(`Boolean(${expression})`))
const field = (page: Page) => page.getByRole('main').getByLabel('Message', { exact: true })
const said = (page: Page, words: string) => page.getByRole('article').filter({ hasText: words })
const scrolledTo = (page: Page) => page.evaluate<number>('Math.round(scrollY)')
const action = async (page: Page, words: string, name: string) => {
  await said(page, words).hover()
  await said(page, words)
    .getByLabel(/^Actions for/)
    .click()
  await said(page, words).getByText(name, { exact: true }).click()
}
/** Creates a room for one test, with Ada and Grace in it. */
async function roomWith(messages: number): Promise<{ id: string; path: string }> {
  const { _id: id, name } = await chat.room(owner, { members: [grace.member.id] })
  const caller = { member: grace.member, keyId: 'key_test', scopes: new Set(['*'] as const) }
  for (let n = 1; n <= messages; n++) {
    await workspace.rooms.messages.post(caller, id, { body: `Number ${n} of ${messages}` })
  }
  return { id, path: `/rooms/${name.toLowerCase().replace(' ', '-')}` }
}

t.test('a message is shown to the others at once, whether a person or a program sends it', async (t) => {
  await Promise.all([ada.goto('/rooms/general'), phone.goto('/rooms/general')])
  await field(ada).fill('Hello **Grace**')
  await field(ada).press('Shift+Enter')
  await field(ada).pressSequentially('how are you?')
  await field(ada).press('Enter')
  await said(phone, 'Hello Grace').getByText('how are you?').waitFor()
  t.equal(await field(ada).inputValue(), '')
  const [sent] = (await chat.page(bot, 'general')).page
  t.match(sent, { body: 'Hello **Grace**\nhow are you?', sentVia: 'workroom-web' })
  await chat.call(bot, 'POST', '/rooms/general/typing')
  await phone.getByText('Scout is typing').waitFor()
  await chat.call(
    bot,
    'POST',
    '/rooms/general/messages',
    { body: 'Beep.' },
    { 'X-Service-Client': 'scout-2' },
  )
  await Promise.all([said(ada, 'Beep.').getByText('via scout-2').waitFor(), said(phone, 'Beep.').waitFor()])
  await phone.getByText('Scout is typing').waitFor({ state: 'detached' })
  t.equal(await said(ada, 'Beep.').getByText('agent', { exact: true }).count(), 1)
  await ada.getByText('Grace is here').waitFor()
  await accessible(t, ada)
  await accessible(t, phone)
  t.equal(await phone.evaluate('document.documentElement.scrollWidth'), 375)
})

t.test('mentioned members who would not be notified are named before and after sending', async (t) => {
  const away = await chat.agent('Lookout')
  await chat.leave(away, 'general')
  await ada.goto('/rooms/general')
  const warning = ada.getByRole('status').filter({ hasText: 'Lookout is not in the room general' })
  await field(ada).pressSequentially('Anything in sight, @Lookou')
  await ada.getByRole('option', { name: 'Lookout' }).click()
  await warning.waitFor()
  await accessible(t, ada)
  await field(ada).fill('Anything in sight, @Scout?')
  await warning.waitFor({ state: 'hidden' })
  await field(ada).fill('Anything in sight, @Lookout?')
  await warning.waitFor()
  await field(ada).press('Enter')
  const sent = ada.getByRole('alert').filter({ hasText: 'Sent, but some mentioned members' })
  await sent.getByText('agents are notified only in rooms they belong to').waitFor()
  await warning.waitFor({ state: 'hidden' })
  t.equal(await field(ada).inputValue(), '')
  t.match((await chat.page(bot, 'general')).page[0], { body: `Anything in sight, ${mention(away)}?` })
  await field(ada).pressSequentially('Ah')
  await sent.waitFor({ state: 'detached' })
  await field(ada).fill('')
  await chat.join(away, 'general')
})

t.test('on a phone, Enter begins a new line and the button sends', async (t) => {
  await field(phone).fill('One')
  await field(phone).press('Enter')
  await field(phone).pressSequentially('two')
  await phone.getByRole('button', { name: 'Send' }).click()
  await said(ada, 'One').getByText('two').waitFor()
  t.match((await chat.page(bot, 'general')).page[0], { body: 'One\ntwo', author: { name: 'Grace' } })
})

t.test('a thread opens beside its room, takes replies, is updated live and closes', async (t) => {
  const id = await chat.post(bot, 'general', 'Who takes the berth?')
  await said(ada, 'Who takes').waitFor()
  await action(ada, 'Who takes', 'Reply in thread')
  const thread = ada.getByRole('complementary', { name: 'Thread' })
  await thread.getByRole('article').filter({ hasText: 'Who takes' }).waitFor()
  await thread.getByLabel('Reply', { exact: true }).fill('I do.')
  await ada.keyboard.press('Enter')
  await thread.getByRole('article').filter({ hasText: 'I do.' }).waitFor()
  await chat.post(bot, 'general', 'Noted.', { threadId: id })
  await thread.getByText('Noted.').waitFor()
  await ada.getByRole('link', { name: '2 replies' }).waitFor()
  await accessible(t, ada)
  await phone.getByRole('link', { name: '2 replies' }).click()
  await said(phone, 'Noted.').waitFor()
  t.equal(await field(phone).isVisible(), false, 'on a phone the thread covers the room')
  const onPhone = phone.getByRole('complementary', { name: 'Thread' })
  await onPhone.getByLabel('Reply', { exact: true }).fill('And I watch.')
  await onPhone.getByRole('button', { name: 'Reply', exact: true }).tap()
  await said(phone, 'And I watch.').waitFor()
  await thread.getByText('And I watch.').waitFor()
  await phone.getByRole('link', { name: 'Close the thread' }).click()
  await field(phone).waitFor()
  await ada.reload()
  await thread.getByText('Noted.').waitFor()
  await thread.getByLabel('Reply', { exact: true }).press('Escape')
  await thread.waitFor({ state: 'detached' })
  t.equal(new URL(ada.url()).search, '')
})

t.test('a mention is completed by keyboard, stored with its id, and counted until it is read', async (t) => {
  await phone.goto('/rooms')
  await field(ada).pressSequentially('Ask @gr')
  const list = ada.getByRole('listbox', { name: 'Members' })
  await list.getByRole('option', { name: 'Grace' }).waitFor()
  const combobox = ada.getByRole('combobox', { name: 'Message' })
  t.match(await combobox.getAttribute('aria-activedescendant'), /-0$/)
  await accessible(t, ada)
  await combobox.press('Escape')
  t.equal(await list.isVisible(), false)
  await field(ada).fill('Ask ')
  await field(ada).pressSequentially('@gr')
  await list.waitFor()
  await field(ada).press('Tab')
  t.equal(await field(ada).inputValue(), 'Ask @Grace ')
  await field(ada).pressSequentially('or @here, not `@Grace` or a@Scout; @Scout!')
  await field(ada).press('Enter')
  await said(ada, 'Ask @Grace').waitFor()
  t.equal(
    (await chat.page(bot, 'general')).page[0]!.body,
    `Ask ${mention(grace)} or @[here](__here__), not \`@Grace\` or a@Scout; ${mention(bot)}!`,
  )
  await phone.getByRole('main').getByText('1 mention').waitFor()
  await comesTrue(phone, 'document.title.startsWith("(1) ")')
  await phone.goto('/rooms/general')
  await comesTrue(phone, '!document.title.startsWith("(")')
  t.notMatch(await chat.inbox(grace), 'Ask')
})

t.test('members edit and delete their own messages', async (t) => {
  await chat.post(owner, 'general', `Lunch at noon, ${mention(grace)}?`)
  await chat.post(bot, 'general', 'Nobody changes this.')
  await said(ada, 'Nobody changes').waitFor()
  await action(ada, 'Lunch at noon', 'Edit')
  const editing = ada.getByLabel('Your message')
  t.equal(await editing.inputValue(), 'Lunch at noon, @Grace?')
  await chat.post(bot, 'general', 'Meanwhile.')
  await said(ada, 'Meanwhile.').waitFor()
  await editing.fill('Lunch at one, @Grace?')
  await editing.press('Enter')
  await said(phone, 'Lunch at one').getByText('edited').waitFor()
  const changed = (await chat.page(bot, 'general')).page.find(({ body }) => body.startsWith('Lunch'))
  t.equal(changed!.body, `Lunch at one, ${mention(grace)}?`)
  const menu = said(phone, 'Nobody changes').getByLabel(/^Actions for/)
  await menu.click()
  t.same((await said(phone, 'Nobody changes').locator('.menu-list > *').allInnerTexts()).slice(1), [
    'Other reaction…',
    'Reply in thread',
    'Quote',
    'Copy link',
    'Pin',
    'Mark unread from here',
  ])
  const heights = await said(phone, 'Nobody changes')
    .locator('.menu-list :is(a, button)')
    .evaluateAll((all) => all.map((item) => item.getBoundingClientRect().height))
  t.ok(Math.min(...heights) >= 44, 'large enough for a thumb')
  await phone.keyboard.press('Escape')
  await action(ada, 'Lunch at one', 'Delete')
  await ada.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await said(phone, 'Lunch at one').waitFor({ state: 'detached' })
})

t.test('new messages are marked where the reader left off, and stay marked while being read', async (t) => {
  const { id, path } = await roomWith(60)
  await ada.goto(path)
  const line = ada.getByRole('separator', { name: 'New messages' })
  t.equal(await line.count(), 1)
  await ada.getByRole('button', { name: 'Jump to latest' }).click()
  await chat.eventually(() => workspace.rooms.rooms.page(caller(owner), id).unread === 0)
  await chat.post(grace, id, 'And one more')
  await said(ada, 'And one more').waitFor()
  t.equal(await line.count(), 1, 'the line stays where it was')
  await comesTrue(ada, 'scrollY + innerHeight >= document.documentElement.scrollHeight - 2')
  await chat.eventually(() => workspace.rooms.rooms.page(caller(owner), id).unread === 0)
  await field(ada).fill('Mine')
  await field(ada).press('Enter')
  await said(ada, 'Mine').waitFor()
  await line.waitFor({ state: 'detached' })
  await ada.mouse.wheel(0, -600)
  await ada.getByRole('button', { name: 'Jump to latest' }).waitFor()
  const [place, top] = [await scrolledTo(ada), (await said(ada, 'Number 50 of').boundingBox())!.y]
  await chat.post(grace, id, 'You do not see this')
  await said(ada, 'You do not see this').waitFor({ state: 'attached' })
  t.equal(await scrolledTo(ada), place)
  t.equal((await said(ada, 'Number 50 of').boundingBox())!.y, top, 'the message being read does not move')
  t.equal(workspace.rooms.rooms.page(caller(owner), id).unread, 1)
})

t.test('scrolling up loads earlier messages without moving those being read', async (t) => {
  const { id, path } = await roomWith(130)
  const all = (await chat.page(grace, id, 'limit=100')).page
  await chat.call(owner, 'PUT', `/rooms/${id}/read`, { messageId: all[0]!._id })
  await ada.goto(path)
  t.equal(await ada.getByRole('article').count(), 50)
  await said(ada, 'Number 85 of').scrollIntoViewIfNeeded()
  await ada.evaluate('scrollTo(0, 40)')
  const top = await ada.evaluate<number>(
    'document.querySelector("#messages > .message").getBoundingClientRect().top',
  )
  await said(ada, 'Number 31 of').waitFor({ state: 'attached' })
  const first = `document.getElementById("${all[49]!._id}").getBoundingClientRect().top`
  await comesTrue(ada, `Math.abs(${first} - ${top}) < 60`)
  await ada.goto(`${path}?at=${all[90]!._id}#${all[90]!._id}`)
  t.equal(await said(ada, 'Number 40 of').first().isVisible(), true)
  await ada.getByRole('link', { name: 'Later messages' }).click()
  await said(ada, 'Number 130 of').waitFor({ state: 'attached' })
})

const caller = ({ member }: typeof owner) => ({ member, keyId: 'key_test', scopes: new Set(['*'] as const) })

t.test('a chosen or dropped file becomes a link for every member of the room', async (t) => {
  await ada.goto('/rooms/general')
  await ada.getByLabel('Files to attach').setInputFiles({
    name: 'tides (1).txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('high, low'),
  })
  await comesTrue(ada, 'document.getElementById("message").value.includes("](/v1/fs/rooms/")')
  await ada.evaluate(`(() => {
    const data = new DataTransfer()
    data.items.add(new File(['x'], 'drawing.txt', { type: 'text/plain' }))
    document.querySelector('.talk').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  })()`)
  await comesTrue(ada, 'document.getElementById("message").value.includes("drawing.txt")')
  await field(ada).press('Enter')
  const [href] = await Promise.all([
    said(ada, 'drawing.txt').getByRole('link', { name: 'tides (1).txt' }).getAttribute('href'),
    said(phone, 'drawing.txt').waitFor(),
  ])
  t.equal((await chat.request('GET', href!, { key: undefined })).text, 'high, low')
})

t.test('no message is lost or sent twice when connections fail', async (t) => {
  await ada.goto('/rooms/general')
  browser.expect(ada, /ERR_|failed/)
  await ada.route('**/messages', (route) => route.abort('connectionreset'), { times: 1 })
  await field(ada).fill('Are you there?')
  await field(ada).press('Enter')
  await said(ada, 'Are you there?').waitFor()
  await ada.route(
    '**/messages',
    async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    },
    { times: 1 },
  )
  await field(ada).fill('Or are you not?')
  await field(ada).press('Enter')
  await said(ada, 'Or are you not?').waitFor()
  await field(ada).fill('Half written')
  await ada.goto('/rooms')
  await ada.goto('/rooms/general')
  // The script restores it when it has loaded.
  await comesTrue(ada, 'document.getElementById("message").value !== ""')
  t.equal(await field(ada).inputValue(), 'Half written', 'leaving the page keeps the unsent message')
  await field(ada).fill('')
  await comesTrue(ada, 'document.querySelector(".unsent") === null')
  t.equal(await said(ada, 'Are you there?').count(), 1)
  t.equal(await said(ada, 'Or are you not?').count(), 1)
})

t.test('a reply goes to the thread that is open, whichever was open before', async (t) => {
  const [first, second] = [await chat.post(bot, 'general', 'Red?'), await chat.post(bot, 'general', 'Green?')]
  await ada.goto(`/rooms/general?thread=${first}`)
  const thread = ada.getByRole('complementary', { name: 'Thread' })
  await thread.getByLabel('Reply', { exact: true }).fill('Of the first')
  await action(ada, 'Green?', 'Reply in thread')
  await thread.getByText('Green?').waitFor()
  t.equal(await thread.getByLabel('Reply', { exact: true }).inputValue(), '')
  await thread.getByLabel('Reply', { exact: true }).fill('Of the second')
  await ada.keyboard.press('Enter')
  await ada.locator(`#${second} .thread-link`).getByText('1 reply').waitFor()
  t.equal(await ada.locator(`#${first} .thread-link`).count(), 0)
  await ada.goto(`/rooms/general?thread=${first}`)
  t.equal(await thread.getByLabel('Reply', { exact: true }).inputValue(), 'Of the first')
})

t.test(
  'text typed before the page’s script has loaded is kept together with an earlier unsent message',
  async (t) => {
    await ada.goto('/rooms/general')
    await field(ada).fill('Left before')
    const written = new AbortController()
    await ada.route(/room-\w+\.js$/, async (route) => {
      if (!written.signal.aborted) await once(written.signal, 'abort')
      await route.continue()
    })
    await ada.reload()
    await field(ada).fill('Written now')
    await ada.getByRole('button', { name: 'Send' }).click()
    written.abort()
    await ada.unrouteAll({ behavior: 'wait' })
    await comesTrue(ada, 'document.getElementById("message").value !== "Written now"')
    t.equal(await field(ada).inputValue(), 'Left before\nWritten now')
    t.equal(new URL(ada.url()).search, '', 'the text is not in the address')
    await ada.reload()
    await comesTrue(ada, 'document.getElementById("message").value !== ""')
    t.equal(await field(ada).inputValue(), 'Left before\nWritten now')
    await field(ada).fill('')
  },
)

t.test(
  'a member whose session ends signs in again and finds the half-written text; others do not see it',
  async (t) => {
    const linus = await chat.person('Linus', 'general')
    const page = await browser.person(chat, linus)
    t.teardown(() => page.context().close())
    await page.goto('/rooms/general')
    await field(page).fill('Said by the button')
    await page.getByRole('button', { name: 'Send' }).click()
    await said(page, 'Said by the button').waitFor()
    await action(page, 'Said by the button', 'Edit')
    await page.getByLabel('Your message').fill('Changed by half')
    await field(page).fill('For nobody else')
    browser.expect(page, /status of 401/)
    await workspace.signin.sessions.endAll(linus.member)
    await page.waitForURL(/signin/)
    await page.getByLabel('Your key').fill(grace.key)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/rooms/general')
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'hidden' })
    t.equal(await field(page).inputValue(), '')
    t.equal(await page.getByLabel('Your message').count(), 0)
    await page.context().clearCookies()
    await page.goto('/rooms/general')
    await page.getByLabel('Your key').fill(linus.key)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/rooms/general')
    await page.getByLabel('Your message').waitFor()
    t.equal(await page.getByLabel('Your message').inputValue(), 'Changed by half')
    t.equal(await field(page).inputValue(), 'For nobody else')
    await page.getByRole('button', { name: 'Save' }).click()
    await said(page, 'Changed by half').waitFor()
    await page.reload()
    await comesTrue(page, 'document.getElementById("message").value !== ""')
    t.equal(await page.getByLabel('Your message').count(), 0)
  },
)

t.test('a room’s settings page follows changes by others', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })
  await Promise.all([ada.goto('/rooms/quay/settings'), phone.goto('/rooms/quay')])
  await chat.call(grace, 'PATCH', `/rooms/${id}`, { name: 'Pier', description: 'Of boats' })
  await comesTrue(ada, 'document.getElementById("name").value === "Pier"')
  t.equal(await ada.getByLabel('Description').inputValue(), 'Of boats')
  await comesTrue(ada, 'location.pathname === "/rooms/pier/settings"')
  await phone.getByText('Of boats').waitFor()
  await phone.getByRole('heading', { name: 'Pier', level: 1 }).waitFor()
  await chat.invite(grace, id, bot)
  await ada.locator('#members').getByRole('link', { name: 'Scout' }).waitFor()
  await chat.call(owner, 'PUT', `/rooms/${id}/involvement`, { involvement: 'mentions' })
  await comesTrue(ada, 'document.querySelector("input[value=mentions]").checked')
})

t.test('a room is created, found, joined, renamed, extended by a member and left', async (t) => {
  const known = async () => (await chat.call(owner, 'GET', '/rooms?all=1')).json
  const described = { name: 'Berths', description: 'Who lies where' }
  await Promise.all([ada.goto('/rooms'), phone.goto('/rooms')])
  await ada.getByRole('link', { name: 'New room' }).click()
  await ada.getByLabel('Name', { exact: true }).fill(described.name)
  await ada.getByLabel('Description').fill(described.description)
  await ada.getByRole('button', { name: 'Create room' }).click()
  await ada.getByRole('heading', { name: 'Berths', level: 1 }).waitFor()
  const [{ _id: id }] = (await known()).filter(({ name }: { name: string }) => name === 'Berths')
  t.match(await chat.detail(owner, id), { ...described, type: 'open', projectId: null, joined: true })
  const who = async () => (await chat.detail(owner, id)).members.map(({ name }) => name)
  t.same(await who(), ['Ada'])

  const row = phone.locator('#rooms li', { hasText: 'Berths' })
  await row.getByText('Who lies where').waitFor()
  await row.getByRole('button', { name: 'Join Berths' }).click()
  await field(phone).waitFor()
  t.same(await who(), ['Ada', 'Grace'])

  await ada.getByRole('link', { name: /^2 members/ }).click()
  await ada.getByLabel('Name', { exact: true }).fill('Moorings')
  await ada.locator('#room').getByRole('button', { name: 'Save' }).click()
  await phone.getByRole('heading', { name: 'Moorings', level: 1 }).waitFor()
  await comesTrue(ada, 'location.pathname === "/rooms/moorings/settings"')
  t.match(await chat.detail(owner, id), { name: 'Moorings', description: 'Who lies where' })
  await ada.getByLabel('Add a member').selectOption({ label: 'Scout (agent)' })
  await ada.getByRole('button', { name: 'Add', exact: true }).click()
  await ada.locator('#members').getByRole('link', { name: 'Scout' }).waitFor()
  t.same(await who(), ['Ada', 'Grace', 'Scout'])
  await phone.getByRole('link', { name: /^3 members/ }).waitFor()

  await ada.getByRole('button', { name: 'Leave room' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await ada.getByRole('button', { name: 'Join Moorings' }).waitFor()
  t.equal(new URL(ada.url()).pathname, '/rooms')
  t.match(
    (await known()).find(({ _id }: { _id: string }) => _id === id),
    { name: 'Moorings', joined: false },
  )
  t.same(
    (await chat.detail(grace, id)).members.map(({ name }) => name),
    ['Grace', 'Scout'],
  )
  await phone.getByRole('link', { name: /^2 members/ }).waitFor()
})

t.test('the page of a room not joined yet stays up to date, and opens when it is joined', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Jetty', description: 'Of ropes' })
  await phone.goto('/rooms/jetty')
  await phone.evaluate('globalThis.isSame = true')
  const around = phone.waitForResponse('**/navigation?*')
  await chat.post(bot, 'general', 'Said elsewhere')
  await around
  await chat.call(owner, 'PATCH', `/rooms/${id}`, { name: 'Mole', description: 'Of stones' })
  await phone.getByRole('heading', { name: 'Mole', level: 1 }).waitFor()
  await phone.getByText('Of stones').waitFor()
  t.ok(await phone.evaluate<boolean>('isSame'), 'the page was not loaded again')
  await comesTrue(phone, 'location.pathname === "/rooms/mole"')
  await phone.reload()
  await phone.getByRole('button', { name: 'Join room' }).waitFor()
  await chat.join(grace, id)
  await field(phone).fill('Hello')
  await phone.getByRole('button', { name: 'Send' }).click()
  await said(phone, 'Hello').waitFor()
})

t.test('a page adds one listener for visibility, however many events it receives', async (t) => {
  const page = await browser.person(chat, grace)
  t.teardown(() => page.context().close())
  await page.addInitScript(`{
    const { addEventListener, removeEventListener } = Document.prototype
    globalThis.listening = 0
    document.addEventListener = function (type, ...rest) {
      if (type === 'visibilitychange') listening += 1
      return addEventListener.call(this, type, ...rest)
    }
    document.removeEventListener = function (type, ...rest) {
      if (type === 'visibilitychange') listening -= 1
      return removeEventListener.call(this, type, ...rest)
    }
  }`)
  await page.goto('/rooms/general')
  const say = async (words: string) => {
    await chat.post(bot, 'general', words)
    await said(page, words).waitFor()
  }
  await say('News one')
  const before = await page.evaluate<number>('listening')
  t.ok(before > 0)
  await say('News two')
  await say('News three')
  t.equal(await page.evaluate<number>('listening'), before)
})

t.test('messages are grouped by day in the reader’s time zone', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Far away', members: [grace.member.id] })
  const dayMs = 24 * 60 * 60 * 1000
  const hourMs = dayMs / 24
  const midnight = (Math.floor(chat.clock.now() / dayMs) + 1) * dayMs
  // On one day in UTC, and on both sides of midnight in Auckland, in summer and winter.
  chat.clock.set(midnight + 10 * hourMs)
  await chat.post(grace, id, 'Late on one day')
  const far = await browser.person(chat, owner, { timezoneId: 'Pacific/Auckland' })
  t.teardown(() => far.context().close())
  await Promise.all([far.goto('/rooms/far-away'), ada.goto('/rooms/far-away')])
  const order = (page: Page) =>
    page
      .locator('#messages > .day, #messages > .message')
      .evaluateAll((shown) =>
        shown.map(({ id, className }) => (className === 'day' ? id.slice('day-'.length) : 'message')),
      )
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const [one, next] = [day(midnight), day(midnight + dayMs)]
  t.same(await order(far), [one, 'message'])
  chat.clock.set(midnight + 13 * hourMs)
  await chat.post(grace, id, 'Early on the next')
  await Promise.all([far, ada].map((page) => said(page, 'Early on the next').waitFor()))
  t.same(await order(far), [one, 'message', next, 'message'], 'as it comes')
  t.same(await order(ada), [one, 'message', 'message'])
  await Promise.all([far.reload(), ada.reload()])
  await comesTrue(far, 'document.querySelectorAll(".day").length === 2')
  t.same(await order(far), [one, 'message', next, 'message'], 'and as it is opened')
  t.same(await order(ada), [one, 'message', 'message'])
  t.equal(new Set(await far.locator('.day').allInnerTexts()).size, 2)
})
