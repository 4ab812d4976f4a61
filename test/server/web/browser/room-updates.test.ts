import { once } from 'node:events'
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'
import { receivedBytes } from '../../../support/received-bytes.ts'
import { messageField, messagesWith, waitUntilTrue } from '../../../support/room-pages.ts'

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
const first = (await workspace.rooms.messages.post(caller, room, { body: 'Number 1 of 500' })).messageId
const second = (await workspace.rooms.messages.post(caller, room, { body: 'Number 2 of 500' })).messageId
let middle = ''
for (let n = 3; n <= 500; n++) {
  const { messageId } = await workspace.rooms.messages.post(caller, room, { body: `Number ${n} of 500` })
  if (n === 250) middle = messageId
}

const readers = [
  { window: 'laptop', page: ada, reader: owner, writer: grace, root: first },
  { window: 'phone', page: phone, reader: grace, writer: owner, root: second },
] as const

for (const { window, page, reader, writer, root } of readers) {
  t.test(
    `each event in a room that is scrolled back far takes a few kilobytes, on a ${window}`,
    async (t) => {
      // At the message: a refresh of a page that is scrolled to its end would drop the earliest messages.
      await page.goto(`/rooms/${room}?from=${first}#${middle}`)
      t.equal(await page.getByRole('article').count(), 500)
      await waitUntilTrue(page, 'document.activeElement.className === "talk"')
      const top = (await messagesWith(page, 'Number 250 of').boundingBox())!.y
      const id = (words: string) => messagesWith(page, words).first().getAttribute('id')
      let sent = ''
      const events: [what: string, happen: () => Promise<unknown>, isShown: () => Promise<unknown>][] = [
        [
          'a message',
          async () => {
            sent = await chat.post(writer, room, `Hello ${mention(reader)}`)
          },
          () => messagesWith(page, `Hello @${reader.member.name}`).waitFor({ state: 'attached' }),
        ],
        [
          'an edit',
          () => chat.edit(writer, room, sent, 'Changed'),
          () => messagesWith(page, 'Changed').waitFor({ state: 'attached' }),
        ],
        [
          'a reply',
          () => chat.post(bot, room, 'A reply', { threadId: root }),
          () => page.locator(`#${root} .thread-link`).getByText('1 reply').waitFor({ state: 'attached' }),
        ],
        [
          'a member begins to type',
          () => chat.call(bot, 'POST', `/rooms/${room}/typing`),
          () => page.getByText('Scout is typing').waitFor(),
        ],
        [
          'a deletion',
          () => chat.remove(writer, room, sent),
          () => messagesWith(page, 'Changed').waitFor({ state: 'detached' }),
        ],
      ]
      for (const [what, happen, isShown] of events) {
        const answers = await receivedBytes(browser, page, happen, isShown)
        t.ok(answers.total <= maxBytesPerEvent, `${what} takes ${answers}`)
      }
      t.equal(await page.getByRole('article').count(), 500)
      const moved = (await messagesWith(page, 'Number 250 of').boundingBox())!.y - top
      t.ok(Math.abs(moved) < 1, `what is read does not move: ${moved} pixels`)
      t.equal(await id('Number 1 of'), first)
    },
  )
}

t.test('messages that arrive live look just as when the page is opened', async (t) => {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id, bot.member.id] })
  await Promise.all([ada.goto(`/rooms/${id}`), phone.goto(`/rooms/${id}`)])
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
  await messagesWith(phone, 'Mine').waitFor()
  await messagesWith(phone, 'Three').waitFor({ state: 'detached' })
  const shape = (page: Page) =>
    page
      .locator('#messages > *')
      .evaluateAll((shown) =>
        shown.map((item) => [item.id, item.className, item.textContent?.replace(/\s+/g, ' ')]),
      )
  for (const page of [ada, phone]) {
    const live = (await shape(page)).filter(([name]) => name !== 'new-line')
    await page.reload()
    await waitUntilTrue(page, 'document.querySelector("#messages > .day[data-local]")')
    t.same(
      live,
      (await shape(page)).filter(([name]) => name !== 'new-line'),
    )
  }
})

for (const { window, page, writer } of readers) {
  t.test(
    `an open thread shows replies, edits and deletions as soon as they happen, on a ${window}`,
    async () => {
      const { _id: id } = await chat.room(owner, { members: [grace.member.id] })
      const root = await chat.post(writer, id, 'Who goes?')
      await page.goto(`/rooms/${id}?thread=${root}`)
      const thread = page.getByRole('complementary', { name: 'Thread' })
      const reply = await chat.post(writer, id, 'I do', { threadId: root })
      await thread.getByText('I do').waitFor()
      await chat.edit(writer, id, reply, 'We do')
      await thread.getByText('We do').waitFor()
      await chat.edit(writer, id, root, 'Who comes?')
      await thread.getByText('Who comes?').waitFor()
      await thread.getByLabel('Reply', { exact: true }).fill('And I')
      await thread.getByLabel('Reply', { exact: true }).press('Control+Enter')
      await thread.getByRole('article').filter({ hasText: 'And I' }).waitFor()
      await thread.locator('.unsent').waitFor({ state: 'detached' })
      await chat.remove(writer, id, reply)
      await thread.getByText('We do').waitFor({ state: 'detached' })
      const link = page.locator(`[id="${root}"] .thread-link`).getByText('1 reply')
      // On a phone, the thread covers the room.
      await link.waitFor({ state: window === 'phone' ? 'attached' : 'visible' })
      await chat.remove(writer, id, root)
      await thread.getByText('was deleted').waitFor()
    },
  )
}

t.test('the line of new messages moves on when the message below it is deleted', async (t) => {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id] })
  await chat.post(grace, id, 'Old')
  await ada.goto(`/rooms/${id}`)
  await messagesWith(ada, 'Old').waitFor()
  await ada.goto('/members')
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
  const page = await browser.openPageAs(chat, grace)
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
    await messagesWith(page, words).waitFor()
  }
  await say('News one')
  const before = await page.evaluate<number>('listening')
  t.ok(before > 0)
  await say('News two')
  await say('News three')
  t.equal(await page.evaluate<number>('listening'), before)
})
