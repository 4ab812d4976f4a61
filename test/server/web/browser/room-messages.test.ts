import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'
import {
  chooseAction,
  messageField,
  messagesWith,
  showRoom,
  waitUntilTrue,
} from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, workspace } = chat
const grace = await chat.person('Grace', 'general')
const bot = await chat.agent('Scout')
await chat.join(bot, 'general')
const ada = await browser.openPageAs(chat, owner)
const phone = await browser.openPageAs(chat, grace, { window: 'phone', colorScheme: 'dark' })

const showGeneral = (...pages: Page[]) => Promise.all(pages.map((page) => showRoom(page, '/rooms/general')))
const scrolledTo = (page: Page) => page.evaluate<number>('Math.round(scrollY)')
const caller = ({ member }: typeof owner) => ({ member, keyId: 'key_test', scopes: new Set(['*'] as const) })
/** Creates a room for one test, with Ada and Grace in it. */
async function roomWith(messages: number): Promise<{ id: string; path: string }> {
  const { _id: id, name } = await chat.room(owner, { members: [grace.member.id] })
  for (let n = 1; n <= messages; n++) {
    await workspace.rooms.messages.post(caller(grace), id, { body: `Number ${n} of ${messages}` })
  }
  return { id, path: `/rooms/${name.toLowerCase().replace(' ', '-')}` }
}

t.test('a message is shown to the others at once, whether a person or a program sends it', async (t) => {
  await showGeneral(ada, phone)
  await messageField(ada).fill('Hello **Grace**')
  await messageField(ada).press('Shift+Enter')
  await messageField(ada).pressSequentially('how are you?')
  await messageField(ada).press('Enter')
  await messagesWith(phone, 'Hello Grace').getByText('how are you?').waitFor()
  t.equal(await messageField(ada).inputValue(), '')
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
  await Promise.all([
    messagesWith(ada, 'Beep.').getByText('via scout-2').waitFor(),
    messagesWith(phone, 'Beep.').waitFor(),
  ])
  await phone.getByText('Scout is typing').waitFor({ state: 'detached' })
  t.equal(await messagesWith(ada, 'Beep.').getByText('agent', { exact: true }).count(), 1)
  await ada.getByText('Grace is here').waitFor()
  t.equal(await phone.evaluate('document.documentElement.scrollWidth'), 375)
})

t.test('mentioned members who would not be notified are named before and after sending', async (t) => {
  const away = await chat.agent('Lookout')
  await chat.leave(away, 'general')
  await showGeneral(ada)
  const warning = ada.getByRole('status').filter({ hasText: 'Lookout is not in the room general' })
  await messageField(ada).fill('Anything in sight, @Looko')
  await messageField(ada).press('u')
  await ada.getByRole('option', { name: 'Lookout' }).click()
  await warning.waitFor()
  await checkAccessibility(t, ada)
  await messageField(ada).fill('Anything in sight, @Scout?')
  await warning.waitFor({ state: 'hidden' })
  await messageField(ada).fill('Anything in sight, @Lookout?')
  await warning.waitFor()
  await messageField(ada).press('Enter')
  const sent = ada.getByRole('alert').filter({ hasText: 'Sent, but some mentioned members' })
  await sent.getByText('agents are notified only in rooms they belong to').waitFor()
  await warning.waitFor({ state: 'hidden' })
  t.equal(await messageField(ada).inputValue(), '')
  t.match((await chat.page(bot, 'general')).page[0], { body: `Anything in sight, ${mention(away)}?` })
  await messageField(ada).pressSequentially('Ah')
  await sent.waitFor({ state: 'detached' })
  await messageField(ada).fill('')
  await chat.join(away, 'general')
})

t.test('on a phone, Enter begins a new line and the button sends', async (t) => {
  await showGeneral(ada, phone)
  await messageField(phone).fill('One')
  await messageField(phone).press('Enter')
  await messageField(phone).pressSequentially('two')
  await phone.getByRole('button', { name: 'Send' }).click()
  await messagesWith(ada, 'One').getByText('two').waitFor()
  t.match((await chat.page(bot, 'general')).page[0], { body: 'One\ntwo', author: { name: 'Grace' } })
})

t.test('a thread opens beside its room, takes replies, is updated live and closes', async (t) => {
  await showGeneral(ada, phone)
  const id = await chat.post(bot, 'general', 'Who takes the berth?')
  await messagesWith(ada, 'Who takes').waitFor()
  await chooseAction(ada, 'Who takes', 'Reply in thread')
  const thread = ada.getByRole('complementary', { name: 'Thread' })
  await thread.getByRole('article').filter({ hasText: 'Who takes' }).waitFor()
  await thread.getByLabel('Reply', { exact: true }).fill('I do.')
  await ada.keyboard.press('Enter')
  await thread.getByRole('article').filter({ hasText: 'I do.' }).waitFor()
  await chat.post(bot, 'general', 'Noted.', { threadId: id })
  await thread.getByText('Noted.').waitFor()
  await ada.getByRole('link', { name: '2 replies' }).waitFor()
  await phone.getByRole('link', { name: '2 replies' }).click()
  await messagesWith(phone, 'Noted.').waitFor()
  t.equal(await messageField(phone).isVisible(), false, 'on a phone the thread covers the room')
  const onPhone = phone.getByRole('complementary', { name: 'Thread' })
  await onPhone.getByLabel('Reply', { exact: true }).fill('And I watch.')
  await onPhone.getByRole('button', { name: 'Reply', exact: true }).tap()
  await messagesWith(phone, 'And I watch.').waitFor()
  await thread.getByText('And I watch.').waitFor()
  await phone.getByRole('link', { name: 'Close the thread' }).click()
  await messageField(phone).waitFor()
  await ada.reload()
  await thread.getByText('Noted.').waitFor()
  await thread.getByLabel('Reply', { exact: true }).press('Escape')
  await thread.waitFor({ state: 'detached' })
  t.equal(new URL(ada.url()).search, '')
})

t.test('a mention is completed by keyboard, stored with its id, and counted until it is read', async (t) => {
  await showGeneral(ada)
  await phone.goto('/rooms')
  await messageField(ada).pressSequentially('Ask @gr')
  const list = ada.getByRole('listbox', { name: 'Members' })
  await list.getByRole('option', { name: 'Grace' }).waitFor()
  const combobox = ada.getByRole('combobox', { name: 'Message' })
  t.match(await combobox.getAttribute('aria-activedescendant'), /-0$/)
  await checkAccessibility(t, ada)
  await combobox.press('Escape')
  t.equal(await list.isVisible(), false)
  await messageField(ada).fill('Ask ')
  await messageField(ada).pressSequentially('@gr')
  await list.waitFor()
  await messageField(ada).press('Tab')
  t.equal(await messageField(ada).inputValue(), 'Ask @Grace ')
  await messageField(ada).fill('Ask @Grace or @here, not `@Grace` or a@Scout; @Scout!')
  await messageField(ada).press('Enter')
  await messagesWith(ada, 'Ask @Grace').waitFor()
  t.equal(
    (await chat.page(bot, 'general')).page[0]!.body,
    `Ask ${mention(grace)} or @[here](__here__), not \`@Grace\` or a@Scout; ${mention(bot)}!`,
  )
  await phone.getByRole('main').getByText('1 mention').waitFor()
  await waitUntilTrue(phone, 'document.title.startsWith("(1) ")')
  await showGeneral(phone)
  await waitUntilTrue(phone, '!document.title.startsWith("(")')
  t.notMatch(await chat.inbox(grace), 'Ask')
})

t.test('members edit and delete their own messages', async (t) => {
  await showGeneral(ada, phone)
  await chat.post(owner, 'general', `Lunch at noon, ${mention(grace)}?`)
  await chat.post(bot, 'general', 'Nobody changes this.')
  await messagesWith(ada, 'Nobody changes').waitFor()
  await chooseAction(ada, 'Lunch at noon', 'Edit')
  const editing = ada.getByLabel('Your message')
  t.equal(await editing.inputValue(), 'Lunch at noon, @Grace?')
  await chat.post(bot, 'general', 'Meanwhile.')
  await messagesWith(ada, 'Meanwhile.').waitFor()
  await editing.fill('Lunch at one, @Grace?')
  await editing.press('Enter')
  await messagesWith(phone, 'Lunch at one').getByText('edited').waitFor()
  const changed = (await chat.page(bot, 'general')).page.find(({ body }) => body.startsWith('Lunch'))
  t.equal(changed!.body, `Lunch at one, ${mention(grace)}?`)
  const menu = messagesWith(phone, 'Nobody changes').getByLabel(/^Actions for/)
  await menu.click()
  t.same((await messagesWith(phone, 'Nobody changes').locator('.menu-list > *').allInnerTexts()).slice(1), [
    'Other reaction…',
    'Reply in thread',
    'Quote',
    'Copy link',
    'Pin',
    'Mark unread from here',
  ])
  const heights = await messagesWith(phone, 'Nobody changes')
    .locator('.menu-list :is(a, button)')
    .evaluateAll((all) => all.map((item) => item.getBoundingClientRect().height))
  t.ok(Math.min(...heights) >= 44, 'large enough for a thumb')
  await phone.keyboard.press('Escape')
  await chooseAction(ada, 'Lunch at one', 'Delete')
  await ada.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await messagesWith(phone, 'Lunch at one').waitFor({ state: 'detached' })
})

t.test('new messages are marked where the reader left off, and stay marked while being read', async (t) => {
  const { id, path } = await roomWith(60)
  await ada.goto(path)
  const line = ada.getByRole('separator', { name: 'New messages' })
  t.equal(await line.count(), 1)
  await ada.getByRole('button', { name: 'Jump to latest' }).click()
  await chat.eventually(() => workspace.rooms.rooms.page(caller(owner), id).unread === 0)
  await chat.post(grace, id, 'And one more')
  await messagesWith(ada, 'And one more').waitFor()
  t.equal(await line.count(), 1, 'the line stays where it was')
  await waitUntilTrue(ada, 'scrollY + innerHeight >= document.documentElement.scrollHeight - 2')
  await chat.eventually(() => workspace.rooms.rooms.page(caller(owner), id).unread === 0)
  await messageField(ada).fill('Mine')
  await messageField(ada).press('Enter')
  await messagesWith(ada, 'Mine').waitFor()
  await line.waitFor({ state: 'detached' })
  await ada.mouse.wheel(0, -600)
  await ada.getByRole('button', { name: 'Jump to latest' }).waitFor()
  const [place, top] = [await scrolledTo(ada), (await messagesWith(ada, 'Number 50 of').boundingBox())!.y]
  await chat.post(grace, id, 'You do not see this')
  await messagesWith(ada, 'You do not see this').waitFor({ state: 'attached' })
  t.equal(await scrolledTo(ada), place)
  t.equal(
    (await messagesWith(ada, 'Number 50 of').boundingBox())!.y,
    top,
    'the message being read does not move',
  )
  t.equal(workspace.rooms.rooms.page(caller(owner), id).unread, 1)
})

t.test('scrolling up loads earlier messages without moving those being read', async (t) => {
  const { id, path } = await roomWith(130)
  const all = (await chat.page(grace, id, 'limit=100')).page
  await chat.call(owner, 'PUT', `/rooms/${id}/read`, { messageId: all[0]!._id })
  await ada.goto(path)
  t.equal(await ada.getByRole('article').count(), 50)
  await messagesWith(ada, 'Number 85 of').scrollIntoViewIfNeeded()
  await ada.evaluate('scrollTo(0, 40)')
  const top = await ada.evaluate<number>(
    'document.querySelector("#messages > .message").getBoundingClientRect().top',
  )
  await messagesWith(ada, 'Number 31 of').waitFor({ state: 'attached' })
  const first = `document.getElementById("${all[49]!._id}").getBoundingClientRect().top`
  await waitUntilTrue(ada, `Math.abs(${first} - ${top}) < 60`)
  await ada.goto(`${path}?at=${all[90]!._id}#${all[90]!._id}`)
  t.equal(await messagesWith(ada, 'Number 40 of').first().isVisible(), true)
  await ada.getByRole('link', { name: 'Later messages' }).click()
  await messagesWith(ada, 'Number 130 of').waitFor({ state: 'attached' })
})

t.test('a reply goes to the thread that is open, whichever was open before', async (t) => {
  const [first, second] = [await chat.post(bot, 'general', 'Red?'), await chat.post(bot, 'general', 'Green?')]
  await ada.goto(`/rooms/general?thread=${first}`)
  const thread = ada.getByRole('complementary', { name: 'Thread' })
  await thread.getByLabel('Reply', { exact: true }).fill('Of the first')
  await chooseAction(ada, 'Green?', 'Reply in thread')
  await thread.getByText('Green?').waitFor()
  t.equal(await thread.getByLabel('Reply', { exact: true }).inputValue(), '')
  await thread.getByLabel('Reply', { exact: true }).fill('Of the second')
  await ada.keyboard.press('Enter')
  await ada.locator(`#${second} .thread-link`).getByText('1 reply').waitFor()
  t.equal(await ada.locator(`#${first} .thread-link`).count(), 0)
  await ada.goto(`/rooms/general?thread=${first}`)
  t.equal(await thread.getByLabel('Reply', { exact: true }).inputValue(), 'Of the first')
})
