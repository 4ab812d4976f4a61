import { once } from 'node:events'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'
import { receivedBytes } from '../../../support/received-bytes.ts'
import { messageField, messagesWith, waitForRoom, waitUntilTrue } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, workspace } = chat
const grace = await chat.person('Grace', 'general')
const bot = await chat.agent('Scout')
const ada = await browser.openPageAs(chat, owner)
const phone = await browser.openPageAs(chat, grace, { window: 'phone' })

const maxBytesPerEvent = 5 * 1024

const caller = { member: grace.member, keyId: 'key_test', scopes: new Set(['*'] as const) }
const { _id: room } = await chat.room(owner, { members: [grace.member.id, bot.member.id] })
const first = (await workspace.rooms.messages.post(caller, room, { body: 'Number 1 of 200' })).messageId
let middle = ''
for (let n = 2; n <= 200; n++) {
  const { messageId } = await workspace.rooms.messages.post(caller, room, { body: `Number ${n} of 200` })
  if (n === 100) middle = messageId
}

t.test('each event in a room that is scrolled back far takes a few kilobytes', async (t) => {
  // At the message: a refresh of a page that is scrolled to its end would drop the earliest messages.
  await phone.goto(`/rooms/${room}?from=${first}#${middle}`)
  t.equal(await phone.getByRole('article').count(), 200)
  await waitUntilTrue(phone, 'document.activeElement.className === "talk"')
  const topOfRead = async () => (await messagesWith(phone, 'Number 100 of').boundingBox())!.y
  let sent = ''
  type Event = [what: string, happen: () => Promise<unknown>, isShown: () => Promise<unknown>]
  const onPhone: Event[] = [
    [
      'a message',
      async () => {
        sent = await chat.post(owner, room, `Hello ${mention(grace)}`)
      },
      () => messagesWith(phone, 'Hello @Grace').waitFor({ state: 'attached' }),
    ],
    [
      'an edit',
      () => chat.edit(owner, room, sent, 'Changed'),
      () => messagesWith(phone, 'Changed').waitFor({ state: 'attached' }),
    ],
  ]
  const onLaptop: Event[] = [
    [
      'a reply',
      () => chat.post(bot, room, 'A reply', { threadId: first }),
      () => phone.locator(`#${first} .thread-link`).getByText('1 reply').waitFor({ state: 'attached' }),
    ],
    [
      'a member begins to type',
      () => chat.call(bot, 'POST', `/rooms/${room}/typing`),
      () => phone.getByText('Scout is typing').waitFor(),
    ],
    [
      'a deletion',
      () => chat.remove(owner, room, sent),
      () => messagesWith(phone, 'Changed').waitFor({ state: 'detached' }),
    ],
  ]
  for (const [window, events] of [
    ['phone', onPhone],
    ['laptop', onLaptop],
  ] as const) {
    await browser.resize(phone, window)
    const top = await topOfRead()
    for (const [what, happen, isShown] of events) {
      const answers = await receivedBytes(browser, phone, happen, isShown)
      t.ok(answers.total <= maxBytesPerEvent, `${what} takes ${answers}`)
    }
    const moved = (await topOfRead()) - top
    t.ok(Math.abs(moved) < 1, `what is read on a ${window} does not move: ${moved} pixels`)
  }
  t.equal(await phone.getByRole('article').count(), 200)
  t.equal(await messagesWith(phone, 'Number 1 of').first().getAttribute('id'), first)
  await browser.resize(phone, 'phone')
})

t.test('messages that arrive live look just as when the page is opened', async (t) => {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id, bot.member.id] })
  await ada.goto(`/rooms/${id}`)
  await chat.post(grace, id, 'One')
  await messagesWith(ada, 'One').waitFor()
  const two = await chat.post(grace, id, 'Two')
  const three = await chat.post(bot, id, 'Three')
  await messagesWith(ada, 'Three').waitFor()
  await chat.post(bot, id, 'Four')
  await chat.edit(grace, id, two, 'Two, *changed*')
  await messagesWith(ada, 'Two, changed').waitFor()
  await messagesWith(ada, 'Four').waitFor()
  await chat.remove(bot, id, three)
  await messagesWith(ada, 'Three').waitFor({ state: 'detached' })
  await messageField(ada).fill('Mine')
  await messageField(ada).press('Enter')
  await messagesWith(ada, 'Mine').waitFor()
  await ada.locator('.unsent').waitFor({ state: 'detached' })
  const shape = () =>
    ada
      .locator('#messages > *')
      .evaluateAll((shown) =>
        shown.map((item) => [item.id, item.className, item.textContent?.replace(/\s+/g, ' ')]),
      )
  const live = (await shape()).filter(([name]) => name !== 'new-line')
  await ada.reload()
  await waitUntilTrue(ada, 'document.querySelector("#messages > .day[data-local]")')
  t.same(
    live,
    (await shape()).filter(([name]) => name !== 'new-line'),
  )
})

t.test('an open thread shows replies, edits and deletions as soon as they happen', async () => {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id] })
  const root = await chat.post(owner, id, 'Who goes?')
  await phone.goto(`/rooms/${id}?thread=${root}`)
  const thread = phone.getByRole('complementary', { name: 'Thread' })
  const reply = await chat.post(owner, id, 'I do', { threadId: root })
  await thread.getByText('I do').waitFor()
  await chat.edit(owner, id, reply, 'We do')
  await thread.getByText('We do').waitFor()
  await chat.edit(owner, id, root, 'Who comes?')
  await thread.getByText('Who comes?').waitFor()
  await thread.getByLabel('Reply', { exact: true }).fill('And I')
  await thread.getByLabel('Reply', { exact: true }).press('Control+Enter')
  await thread.getByRole('article').filter({ hasText: 'And I' }).waitFor()
  await thread.locator('.unsent').waitFor({ state: 'detached' })
  await chat.remove(owner, id, reply)
  await thread.getByText('We do').waitFor({ state: 'detached' })
  const link = phone.locator(`[id="${root}"] .thread-link`).getByText('1 reply')
  // On a phone, the thread covers the room.
  await link.waitFor({ state: 'attached' })
  await browser.resize(phone, 'laptop')
  await link.waitFor()
  await chat.remove(owner, id, root)
  await thread.getByText('was deleted').waitFor()
  await browser.resize(phone, 'phone')
})

t.test('the line of new messages moves on when the message below it is deleted', async (t) => {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id] })
  const old = await chat.post(grace, id, 'Old')
  await chat.call(owner, 'PUT', `/rooms/${id}/read`, { messageId: old })
  const first = await chat.post(grace, id, 'First of three')
  const next = await chat.post(grace, id, 'Second of three')
  const last = await chat.post(grace, id, 'Third of three')
  await ada.goto(`/rooms/${id}`)
  const line = ada.locator('#new-line')
  t.equal(await line.getAttribute('data-before'), first)
  const isBefore = (message: string) => ada.locator(`#new-line[data-before="${message}"] + #${message}`)
  const isDeleted = (words: string) => messagesWith(ada, words).waitFor({ state: 'detached' })
  const answers = await receivedBytes(
    browser,
    ada,
    () => chat.remove(grace, id, first),
    () => isDeleted('First of'),
  )
  t.equal(answers.count(/^\/rooms\/[^?]*\?(?!.*part=changes)/), 0, `not the whole page: ${answers}`)
  await isBefore(next).waitFor()
  t.notMatch(await ada.locator(`#${next}`).getAttribute('class'), 'follows', 'the author is shown')
  await chat.remove(grace, id, next)
  await isDeleted('Second of')
  await isBefore(last).waitFor()
  await chat.remove(grace, id, last)
  await isDeleted('Third of')
  await line.waitFor({ state: 'detached' })
})

t.test('an update fetched before a message arrived does not remove the message', async (t) => {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id] })
  const old = await chat.post(grace, id, 'Old')
  await ada.goto(`/rooms/${id}`)
  await messagesWith(ada, 'Old').waitFor()
  await waitUntilTrue(ada, 'document.activeElement.id === "message"')
  const isWhole = ({ pathname, searchParams }: URL) =>
    pathname === `/rooms/${id}` && !searchParams.has('part')
  const [fetched, shown] = [new AbortController(), new AbortController()]
  await ada.route(
    isWhole,
    async (route) => {
      const response = await route.fetch()
      fetched.abort()
      await once(shown.signal, 'abort')
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await messagesWith(ada, 'Old').hover()
  await messagesWith(ada, 'Old')
    .getByLabel(/^Actions for/)
    .click()
  await messagesWith(ada, 'Old').getByText('Mark unread from here').click()
  await chat.eventually(() => fetched.signal.aborted)
  await chat.post(grace, id, 'New')
  await messagesWith(ada, 'New').waitFor()
  shown.abort()
  await ada.getByText('Marked as unread').waitFor()
  await messagesWith(ada, 'New').waitFor()
  await browser.waitForResponses(ada)
  t.equal(await messagesWith(ada, 'New').count(), 1)
  t.equal(await ada.locator('#new-line').getAttribute('data-before'), old)
})

t.test('a page adds one listener for visibility, however many events it receives', async (t) => {
  const page = await ada.context().newPage()
  t.teardown(() => page.close())
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
  await waitForRoom(page)
  const say = async (words: string) => {
    await chat.post(bot, 'general', words)
    await messagesWith(page, words).waitFor()
  }
  await say('News one')
  const before = await page.evaluate<number>('listening')
  t.ok(before > 0)
  await say('News two')
  await say('News three')
  t.equal(await page.evaluate<number>('listening'), before)
})
